import { openPool } from "@lango/postgres";
import { expect, test } from "vitest";
import { mintAccountCode } from "../../src/payments/account-code.ts";
import { addIntent } from "./add-intent.store.ts";
import { setUpInbox } from "./inbox-at.ts";

const at = setUpInbox();
const url = "/webhooks/mobilemoney/validation";
const ask = async (account: string, amount: string) => {
	const body = {
		TransID: "RKTQDM7W6S",
		TransAmount: amount,
		BusinessShortCode: "600638",
		BillRefNumber: account,
	};
	return (await at.post(url, JSON.stringify(body))).body["ResultCode"];
};
const intent = (more: Partial<Parameters<typeof addIntent>[1]> = {}) =>
	addIntent(at.database.db, { tenantId: at.tenants.uhai.id, amountMinor: 100_000n, ...more });

test("a payment of an open intent is accepted up to what is due, however its code is typed", async () => {
	const code = await intent({ receivedMinor: 40_000n });
	expect(await ask(code, "600.00")).toBe("0");
	expect(await ask(` ${code.slice(0, 5)}-${code.slice(5).toLowerCase()}`, "1")).toBe("0");
	expect(await ask(code, "600.01")).toBe("C2B00013");
});

test.each([["0"], ["-5"], ["five"], [""]])("an amount of %j is refused", async (amount) => {
	expect(await ask(await intent(), amount)).toBe("C2B00013");
});

test("the code of an intent that is over, and one of no intent, are refused", async () => {
	expect(await ask(await intent({ isOver: true }), "10")).toBe("C2B00012");
	expect(await ask(mintAccountCode(), "10")).toBe("C2B00012");
});

test("a mistyped code is refused, and a reference of the tenant's own is accepted", async () => {
	const code = await intent();
	const mistyped = `${code.startsWith("7") ? "8" : "7"}${code.slice(1)}`;
	expect(await ask(mistyped, "10")).toBe("C2B00012");
	for (const own of ["invoice008", "Sample Transaction", "0712345678", "INV-2026-11"])
		expect(await ask(own, "10")).toBe("0");
});

test("a body that cannot be read is refused and answered", async () => {
	expect(await at.post(url, "<xml/>")).toEqual({
		status: 200,
		body: { ResultCode: "C2B00013", ResultDesc: "Invalid amount" },
	});
});

test("a payment is accepted while the database does not answer", async () => {
	const code = await intent();
	const owner = openPool({ url: at.database.ownerUrl, name: "test", sizeMax: 1 });
	try {
		await owner.transaction(async (tx) => {
			await tx.query("lock table locators, webhook_deliveries in access exclusive mode");
			expect(await ask(code, "99999")).toBe("0");
		});
	} finally {
		await owner.close();
	}
});
