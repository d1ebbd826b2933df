import { expect, test } from "vitest";
import { nameAccount } from "./name-account.ts";

const words = {
	accounts: { pending: "Pending", unapplied: "Paid to Lango" },
	mobile: "Mobile money",
	suspenseOf: (shortcode: string) => `Not allocated, ${shortcode}`,
};

test.each([
	["tenant.pending", "Pending"],
	["tenant.mobile", "Mobile money"],
	["unapplied", "Paid to Lango"],
	["suspense.600200", "Not allocated, 600200"],
	["tenant.later", "tenant.later"],
])("the account %s is called %s", (code, name) => {
	expect(nameAccount(code, words)).toBe(name);
});
