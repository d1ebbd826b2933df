import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { amountDue } from "../../src/unapplied/amount-due.ts";
import { openCounter, paidByQuery } from "./counter.ts";

const counter = setUp(openCounter);

test("unused money lowers what the first open bill asks for, and every other one asks for all of it", async () => {
	const tenantId = await counter.tenant();
	const open = (amountMinor: bigint) => {
		counter.clock.now = new Date(counter.clock.now.getTime() + 1_000);
		return counter.open(tenantId, { payee: "platform", amountMinor });
	};
	const overpaid = await counter.prompt(await open(100_000n), 150_000n);
	await counter.say(overpaid, "query", paidByQuery);
	expect(await counter.balances(tenantId)).toMatchObject({ unapplied: 50_000 });
	const bills = [await open(120_000n), await open(130_000n)];
	const due = await inTenant(counter.db, tenantId, (tx) =>
		Promise.all(bills.map((bill) => amountDue(tx, bill))),
	);
	expect(due).toEqual([70_000n, 130_000n]);
});
