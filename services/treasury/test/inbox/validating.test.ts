import { setTimeout as sleep } from "node:timers/promises";
import { inTenant, openPool } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { beforeAll, expect, test } from "vitest";
import { claimShortcode, saveTenantGateway } from "../../src/gateways/shortcodes/tenant-gateway.store.ts";
import { mintAccountCode } from "../../src/payments/account-code.ts";
import { addIntent, addOrder } from "./add-intent.store.ts";
import { setUpInbox } from "./inbox-at.ts";

const at = setUpInbox();
const url = "/webhooks/mobilemoney/validation";
const ask = async (account: string, amount: string, more: Record<string, unknown> = {}) => {
	const body = {
		TransID: "RKTQDM7W6S",
		TransAmount: amount,
		BusinessShortCode: "600638",
		BillRefNumber: account,
		MSISDN: "25471****126",
		...more,
	};
	return (await at.post(url, JSON.stringify(body))).body["ResultCode"];
};
const intent = (more: Partial<Parameters<typeof addIntent>[1]> = {}) =>
	addIntent(at.database.db, { tenantId: at.tenants.uhai.id, amountMinor: 100_000n, ...more });

/** The tenant's shortcode, with a policy for accounts that are not known. */
const shortcodeOf = (kind: "paybill" | "till", unknownAccounts: "accept" | "reject") =>
	inTenant(at.database.db, at.tenants.uhai.id, async (tx) => {
		const { id: tenantId } = at.tenants.uhai;
		await ensureTenant(tx, tenantId);
		await claimShortcode(tx, { tenantId, shortcode: "600638" });
		const change = {
			...{ shortcode: "600638", kind, unknownAccounts, refundExcess: false },
			...{ initiatorName: undefined, accountReference: undefined },
		};
		await saveTenantGateway(tx, { tenantId, change, now: new Date() });
	});
beforeAll(() => shortcodeOf("paybill", "accept"));

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

test("the code of an intent in another currency is refused: shillings do not pay it", async () => {
	expect(await ask(await intent({ currency: "USD" }), "10")).toBe("C2B00012");
});

test("a mistyped code is refused, and a reference of the tenant's own is accepted", async () => {
	const code = await intent();
	const mistyped = `${code.startsWith("7") ? "8" : "7"}${code.slice(1)}`;
	for (const one of [mistyped, "7K3QX9M2RI", "7K3QX9M2RU"]) expect(await ask(one, "10")).toBe("C2B00012");
	for (const own of ["invoice008", "Sample Transaction", "0712345678", "INV-2026-11"])
		expect(await ask(own, "10")).toBe("0");
});

test.each([["<xml/>"], ["[]"], ["7"]])(
	"the body %j, which cannot be read, is refused and answered",
	async (raw) => {
		expect(await at.post(url, raw)).toEqual({
			status: 200,
			body: { ResultCode: "C2B00016", ResultDesc: "Other error" },
		});
	},
);

test.each([["600999"], [undefined], [""]])(
	"the shortcode %j, which no tenant has, is refused",
	async (shortcode) => {
		expect(await ask(await intent(), "10", { BusinessShortCode: shortcode })).toBe("C2B00015");
	},
);

test("a whole number of the payer that no subscriber has is refused; masked, hashed or left out it is not", async () => {
	const code = await intent();
	for (const phone of ["254200000126", "12345", 44_7911_123456])
		expect(await ask(code, "10", { MSISDN: phone })).toBe("C2B00011");
	for (const phone of ["0712345126", "254110345126", "2547 ***** 126", "9f".repeat(32), "", undefined])
		expect(await ask(code, "10", { MSISDN: phone })).toBe("0");
});

test("the code of a standing order is accepted of the phone that consented to it, while the order is open", async () => {
	const { id: tenantId } = at.tenants.uhai;
	const order = await addOrder(at.database.db, { tenantId, phone: "254712345126" });
	expect(await ask(order, "99999")).toBe("0");
	expect(await ask(order, "99999", { MSISDN: "9f".repeat(32) })).toBe("0");
	expect(await ask(order, "99999", { MSISDN: "2547 ***** 127" })).toBe("C2B00014");
	const over = await addOrder(at.database.db, { tenantId, phone: "254712345126", isOver: true });
	expect(await ask(over, "10")).toBe("C2B00012");
});

test.each([
	["of which no policy is known", undefined, "0"],
	["that accepts unknown accounts", "accept", "0"],
	["that rejects unknown accounts", "reject", "C2B00012"],
] as const)(
	"validations at a shortcode %s are answered so within a second while the database is stalled for three (I23)",
	async (_what, policy, answer) => {
		const code = await intent();
		const shortcode = { BusinessShortCode: policy === undefined ? "600999" : "600638" };
		if (policy !== undefined) {
			await shortcodeOf("paybill", policy);
			// The process knows the policy that the last validation found.
			await ask("INV-1", "10");
		}
		await whileStalled(async () => {
			const asked = Array.from({ length: 20 }, async (_, turn) => {
				const from = performance.now();
				const answered = await ask(turn % 2 === 0 ? code : "INV-1", "99999", shortcode);
				return [answered, performance.now() - from < 1_000];
			});
			for (const one of await Promise.all(asked)) expect(one).toEqual([answer, true]);
		});
	},
);

async function whileStalled(work: () => Promise<void>): Promise<void> {
	const owner = openPool({ url: at.database.ownerUrl, name: "test", sizeMax: 1 });
	try {
		await owner.transaction(async (tx) => {
			await tx.query("lock table locators, webhook_deliveries in access exclusive mode");
			await Promise.all([work(), sleep(3_000)]);
		});
	} finally {
		await owner.close();
	}
}

test.each([
	["paybill", "accept", "INV-1", "0"],
	["paybill", "reject", "INV-1", "C2B00012"],
	["paybill", "reject", "", "C2B00012"],
	["till", "reject", "INV-1", "C2B00012"],
	["till", "reject", "", "0"],
] as const)("at a %s whose tenant says %s, the account %j is answered %s", async (...one) => {
	const [kind, policy, account, answer] = one;
	await shortcodeOf(kind, policy);
	expect(await ask(account, "10")).toBe(answer);
});

test("the code of an intent that is collected by another shortcode is refused", async () => {
	await shortcodeOf("paybill", "accept");
	expect(await ask(await intent(), "10")).toBe("0");
	const theirs = await addIntent(at.database.db, { tenantId: at.tenants.kahawa.id, amountMinor: 100_000n });
	expect(await ask(theirs, "10")).toBe("C2B00012");
});
