import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { StoredIntent } from "../src/payments/intent.store.ts";
import { addTrade, newReceiptNumber, receive } from "./receive.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
afterEach(() => till.sandbox("PUT", "/_control/faults", []));
beforeAll(async () => {
	await till.database.db.query(
		`update gateway_profiles set settings = settings || '{"per_second": 1000}' where kind = 'mobile_money'`,
	);
});

const verify = (tenant: PublicTenant, id: string) =>
	till.call({
		...{ method: "POST", url: `/api/v1/${tenant.slug}/treasury/receipts/${id}/verify` },
		token: till.token(tenant, "manager"),
	});

/** Counts rows of Uhai: `of` is a table and a condition. */
const count = async (of: string, value: unknown) => {
	const [row] = await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query<{ many: number }>(`select count(*)::int as many from ${of}`, [value]),
	);
	return row?.many ?? 0;
};

/** The receipt of a number as it is now: its state, and what is allocated of it. */
async function receiptOf({ id }: PublicTenant, number: string) {
	const [row] = await inTenant(till.database.db, id, (tx) =>
		tx.query<{ id: string; state: string; allocated: number }>(
			"select id, state, allocated_minor::int as allocated from receipts where receipt = $1",
			[number],
		),
	);
	return row;
}

/** Money that came to Uhai's paybill, of which no confirmation arrives. Returns its number. */
async function payUnheard(amount_minor = 100_000): Promise<string> {
	const { receipt } = await till.sandbox("POST", `/_control/phones/${newPhone("is silent")}/pay`, {
		...{ shortcode: "600200", account: "", amount_minor },
	});
	return String(receipt);
}

/** Somebody without a token says that money came. */
async function say(receipt: string, { account = "", amount = "1000.00" } = {}): Promise<void> {
	const body = {
		...{ TransID: receipt, TransAmount: amount, BusinessShortCode: "600200", BillRefNumber: account },
		...{ TransTime: "20261126090000", MSISDN: "2547 ***** 126", nonce: randomUUID() },
	};
	await till.call({ method: "POST", url: "/webhooks/mobilemoney/confirmation", body });
	await till.service.jobs.runDue();
}

/** Waits until what the gateway answers was applied. */
const becomes = (number: string, expected: object | undefined) =>
	expect
		.poll(
			async () => {
				await till.service.jobs.runDue();
				const receipt = await receiptOf(till.tenants.uhai, number);
				return receipt && { state: receipt.state, allocated: receipt.allocated };
			},
			{ timeout: 10_000 },
		)
		.toEqual(expected);

const statusOf = async ({ id, tenantId }: StoredIntent) => {
	const [row] = await inTenant(till.database.db, tenantId, (tx) =>
		tx.query<{ status: string }>("select status from intents where id = $1", [id]),
	);
	return row?.status;
};

test("an untrusted confirmation makes the gateway asked at once, and what it confirms counts", async () => {
	const { uhai } = till.tenants;
	const intent = await addTrade(till.database.db, uhai.id);
	const number = await payUnheard();
	await say(number, { account: intent.accountCode });
	await becomes(number, { state: "verified", allocated: 100_000 });
	expect(await statusOf(intent)).toBe("succeeded");
	expect(await till.balances(uhai)).toMatchObject({ "mm.float.600200": 100_000, "tenant.mobile": 100_000 });
	const receipt = await receiptOf(uhai, number);
	expect(await count("evidence where object_id = $1 and source = 'query'", receipt?.id)).toBe(1);
});

test("an untrusted confirmation of another amount than the gateway says counts nothing", async () => {
	const number = await payUnheard(70_000);
	await say(number);
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return count("gateway_queries where receipt = $1 and status = 'answered'", number);
		})
		.toBe(1);
	await becomes(number, { state: "unverified", allocated: 0 });
});

test("a receipt that the gateway does not know is removed, with what was said of it", async () => {
	const { uhai } = till.tenants;
	const number = newReceiptNumber();
	const { id } = await receive(till.database.db, uhai.id, { receipt: number, isTrusted: false });
	await becomes(number, undefined);
	expect(await count("evidence where object_id = $1", id)).toBe(0);
});

test("a number that is not one of the gateway is not asked about", async () => {
	const { uhai } = till.tenants;
	const number = "not a receipt";
	await say(number);
	await till.service.jobs.runDue();
	expect(await count("gateway_queries where receipt = $1", number)).toBe(0);
	expect(await receiptOf(uhai, number)).toMatchObject({ state: "unverified" });
});

test("a person asks about a receipt that is not verified: its query says what became of it", async () => {
	const { uhai } = till.tenants;
	await till.sandbox("PUT", "/_control/faults", [{ operation: "status", fault: "spike_arrest", count: 1 }]);
	const number = await payUnheard();
	await say(number);
	const before = await receiptOf(uhai, number);
	expect(before).toMatchObject({ state: "unverified" });
	const asked = await verify(uhai, String(before?.id));
	expect(asked).toMatchObject({ status: 202, body: { kind: "status", receipt: number } });
	await becomes(number, { state: "verified", allocated: 0 });
	const again = await verify(uhai, String((await receiptOf(uhai, number))?.id));
	expect([again.status, again.body["code"]]).toEqual([409, "receipt_verified"]);
});

test("an unknown receipt is not found", async () => {
	const { status, body } = await verify(till.tenants.uhai, randomUUID());
	expect([status, body["code"]]).toEqual([404, "receipt_not_found"]);
});

test("receipts that were not confirmed, and the questions about them, are removed after seven days", async () => {
	const { uhai } = till.tenants;
	await till.sandbox("PUT", "/_control/faults", [{ operation: "status", fault: "drop", count: 1 }]);
	const [old, recent] = [newReceiptNumber(), newReceiptNumber()];
	const { id } = await receive(till.database.db, uhai.id, { receipt: old, isTrusted: false });
	await till.service.jobs.runDue();
	const [question] = await inTenant(till.database.db, uhai.id, (tx) =>
		tx.query<{ id: string }>("select id from gateway_queries where receipt = $1", [old]),
	);
	expect(await count("callback_tokens where object_id = $1", question?.id)).toBe(2);
	const days = 24 * 3_600_000;
	till.clock.now = new Date(Date.now() + 8 * days);
	const lately = new Date(Date.now() + 7 * days);
	await receive(till.database.db, uhai.id, { receipt: recent, isTrusted: false, at: lately });
	await till.service.jobs.run("receipts.purge-unverified");
	till.clock.now = undefined;
	expect(await receiptOf(uhai, old)).toBeUndefined();
	expect(await receiptOf(uhai, recent)).toMatchObject({ state: "unverified" });
	expect(await count("evidence where object_id = $1", id)).toBe(0);
	expect(await count("gateway_queries where receipt = $1", old)).toBe(0);
	expect(await count("callback_tokens where object_id = $1", question?.id)).toBe(0);
});
