import { expect, test } from "vitest";
import { nameMovement } from "./name-movement.ts";
import { tables } from "./texts.ts";

test.each([
	["collection", "tenant.pending", "Payment received", "Malipo yamepokelewa"],
	["collection", "tenant.fees_due", "Fee", "Ada"],
	["payout_charge", "tenant.mobile", "Gateway’s fee for a payout", "Ada ya mfumo wa malipo kwa utumaji"],
	["refund_charge", "tenant.mobile", "Gateway’s fee for a refund", "Ada ya mfumo wa malipo kwa rejesho"],
])("%s of %s is called %s, and %s in Swahili", (...[purpose, account, english, swahili]) => {
	const named = [tables.en, tables.sw].map((words) => nameMovement({ purpose, account }, words));
	expect(named).toEqual([english, swahili]);
});
