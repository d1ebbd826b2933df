import { expect, test } from "vitest";
import { fingerprintsOf, maskAccount } from "./recipient.ts";

const account = { type: "bank", bankCode: "68", currency: "KES", accountNumber: "01000000010" } as const;
const keys = [
	{ id: "new", key: Buffer.alloc(32, 1) },
	{ id: "old", key: Buffer.alloc(32, 2) },
];

test("an account is found under every key, and no other account is", () => {
	const [newest, older] = fingerprintsOf(keys, account);
	expect(fingerprintsOf(keys.slice(1), account)).toEqual([older]);
	expect(newest).not.toEqual(older);
	for (const other of [{ bankCode: "1" }, { currency: "USD" }, { accountNumber: "01000000011" }])
		expect(fingerprintsOf(keys, { ...account, ...other })).not.toContainEqual(newest);
});

test.each([
	["01000000010", "•••• 0010"],
	["123456", "•••• 456"],
])("of the account %s %s is shown", (accountNumber, shown) => {
	expect(maskAccount(accountNumber)).toBe(shown);
});
