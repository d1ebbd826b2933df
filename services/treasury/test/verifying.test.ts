import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeAll, expect, test } from "vitest";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import { recordAttempt } from "../src/payments/attempt.store.ts";
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
async function payUnheard(amount_minor = 100_000, shortcode = "600200"): Promise<string> {
	const { receipt } = await till.sandbox("POST", `/_control/phones/${newPhone("is silent")}/pay`, {
		...{ shortcode, account: "", amount_minor },
	});
	return String(receipt);
}

/** Somebody without a token says that money came. */
async function say(
	receipt: string,
	{ account = "", amount = "1000.00", shortcode = "600200" } = {},
): Promise<void> {
	const body = {
		...{ TransID: receipt, TransAmount: amount, BusinessShortCode: shortcode, BillRefNumber: account },
		...{ TransTime: "20261126090000", MSISDN: "2547 ***** 126", nonce: randomUUID() },
	};
	await till.call({ method: "POST", url: "/webhooks/mobilemoney/confirmation", body });
	await till.service.jobs.runDue();
}

/** Waits until what the gateway answers was applied. */
const becomes = (number: string, expected: object | undefined, tenant = till.tenants.uhai) =>
	expect
		.poll(async () => {
			await till.service.jobs.runDue();
			const receipt = await receiptOf(tenant, number);
			return receipt && { state: receipt.state, allocated: receipt.allocated };
		})
		.toEqual(expected);

const statusOf = async ({ id, tenantId }: StoredIntent) => {
	const [row] = await inTenant(till.database.db, tenantId, (tx) =>
		tx.query<{ status: string }>("select status from intents where id = $1", [id]),
	);
	return row?.status;
};

/** A prompt on a phone. `paid`: a query finds it paid, without a number. */
async function addPrompt({ id: intentId, tenantId, amountMinor }: StoredIntent) {
	const [id, now] = [randomUUID(), new Date()];
	const inUhai = <T>(work: (tx: Database) => Promise<T>) => inTenant(till.database.db, tenantId, work);
	await inUhai((tx) =>
		recordAttempt(tx, {
			...{ tenantId, id, intentId, amountMinor, channel: "push", custody: "tenant" },
			...{ shortcode: "600200", reference: `pay-${id.replaceAll("-", "")}`, phone: "254712000126" },
			...{ nextCheckAt: null, expiresAt: new Date(now.getTime() + 60_000), now },
		}),
	);
	const said = { kind: "paid", amountMinor: undefined, currency: "KES", receipt: undefined } as const;
	const evidence = { tenantId, attemptId: id, source: "query", sourceId: undefined } as const;
	return {
		paid: () =>
			inUhai((tx) =>
				applyOutcome(tx, {
					...{ ...evidence, at: new Date() },
					said: { ...said, paidAt: undefined, payerMasked: undefined },
				}),
			),
	};
}

/** The gateway confirms a receipt with the account of an intent, to the address of a token. */
const confirmTrusted = async (number: string, intent: StoredIntent) => {
	await receive(till.database.db, intent.tenantId, {
		...{ receipt: number, intentId: intent.id, accountRef: intent.accountCode },
		amountMinor: intent.amountMinor,
	});
	await till.service.jobs.runDue();
};

test("what the gateway confirms of an untrusted confirmation waits in suspense: its account is not believed", async () => {
	const { uhai } = till.tenants;
	const intent = await addTrade(till.database.db, uhai.id);
	const number = await payUnheard();
	await say(number, { account: intent.accountCode });
	await becomes(number, { state: "verified", allocated: 0 });
	expect(await statusOf(intent)).toBe("requires_payment");
	expect(await till.balances(uhai)).toMatchObject({ "mm.float.600200": 100_000, "suspense.600200": 100_000 });
	const receipt = await receiptOf(uhai, number);
	expect(await count("evidence where object_id = $1 and source = 'query'", receipt?.id)).toBe(1);
});

test("a trusted confirmation pays the intent that it names from what a status answer counted, once", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const [intent, forged] = [await addTrade(db, uhai.id), await addTrade(db, uhai.id)];
	const number = await payUnheard();
	await say(number, { account: forged.accountCode });
	await becomes(number, { state: "verified", allocated: 0 });
	const before = await till.balances(uhai);
	for (const _turn of [1, 2]) await confirmTrusted(number, intent);
	expect([await statusOf(intent), await statusOf(forged)]).toEqual(["succeeded", "requires_payment"]);
	expect((await till.balances(uhai))["mm.float.600200"]).toBe(before["mm.float.600200"]);
	expect(await receiptOf(uhai, number)).toMatchObject({ allocated: 100_000 });
	expect(await count("receipts where receipt = $1 and account_ref is not null", number)).toBe(1);
});

test.each([
	["before", 110_000],
	["after", 120_000],
] as const)(
	"a forged account does not count a prompt twice that a query finds paid %s the status answer",
	async (order, minor) => {
		const [amountMinor, amount] = [BigInt(minor), `${minor / 100}`];
		const { uhai } = till.tenants;
		const { db } = till.database;
		const [intent, forged] = [
			await addTrade(db, uhai.id, { amountMinor }),
			await addTrade(db, uhai.id, { amountMinor }),
		];
		const prompt = await addPrompt(intent);
		const before = await till.balances(uhai);
		const number = await payUnheard(minor);
		if (order === "before") await prompt.paid();
		await say(number, { account: forged.accountCode, amount });
		await becomes(number, { state: "verified", allocated: order === "before" ? minor : 0 });
		if (order === "after") await prompt.paid();
		await confirmTrusted(number, intent);
		expect([await statusOf(intent), await statusOf(forged)]).toEqual(["succeeded", "requires_payment"]);
		const after = await till.balances(uhai);
		const change = (code: string) => (after[code] ?? 0) - (before[code] ?? 0);
		expect(["mm.float.600200", "tenant.mobile", "suspense.600200"].map(change)).toEqual([minor, minor, 0]);
	},
);

test("a number that was joined to another prompt pays what its trusted confirmation names", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const [amountMinor, amount] = [130_000n, "1300"];
	const [prompted, named] = [
		await addTrade(db, uhai.id, { amountMinor }),
		await addTrade(db, uhai.id, { amountMinor }),
	];
	const prompt = await addPrompt(prompted);
	const number = await payUnheard(Number(amountMinor));
	await prompt.paid();
	await say(number, { amount });
	await becomes(number, { state: "verified", allocated: 130_000 });
	await confirmTrusted(number, named);
	await confirmTrusted(newReceiptNumber(), prompted);
	expect([await statusOf(prompted), await statusOf(named)]).toEqual(["succeeded", "succeeded"]);
	expect(await count("receipts where receipt is null and state = $1", "verified")).toBe(0);
});

test("a forged bill at the platform's paybill waits with the platform owner, and a trusted one pays it", async () => {
	const { uhai, lango } = till.tenants;
	const { db } = till.database;
	const bill = await addTrade(db, uhai.id, { payee: "platform" });
	const number = await payUnheard(100_000, "600100");
	await say(number, { account: bill.accountCode, shortcode: "600100" });
	await becomes(number, { state: "verified", allocated: 0 }, lango);
	expect(await receiptOf(uhai, number)).toBeUndefined();
	await receive(db, uhai.id, {
		...{ receipt: number, intentId: bill.id, accountRef: bill.accountCode },
		...{ shortcode: "600100", custody: "platform" },
	});
	expect(await statusOf(bill)).toBe("succeeded");
	expect(await receiptOf(uhai, number)).toMatchObject({ allocated: 100_000 });
	expect(await receiptOf(lango, number)).toBeUndefined();
});

test("untrusted statements of a number that is counted add nothing, in whatever tenant", async () => {
	const { uhai, kahawa } = till.tenants;
	const { id, receipt } = await receive(till.database.db, uhai.id, {});
	for (const shortcode of ["600200", "600200", "600300"]) await say(String(receipt), { shortcode });
	expect(await count("evidence where object_id = $1", id)).toBe(1);
	expect(await receiptOf(kahawa, String(receipt))).toBeUndefined();
});

test("a receipt that another tenant has counted since is removed, and its question fails without the answer", async () => {
	const { uhai, kahawa } = till.tenants;
	const { db } = till.database;
	const number = await payUnheard();
	await receive(db, kahawa.id, { receipt: number, shortcode: "600300", isTrusted: false });
	await receive(db, uhai.id, { receipt: number });
	await becomes(number, undefined, kahawa);
	const rows = await inTenant(db, kahawa.id, (tx) =>
		tx.query("select status, result, failure_code as code from gateway_queries where receipt = $1", [number]),
	);
	expect(rows).toEqual([{ status: "failed", result: null, code: "2032" }]);
	const parked = await db.query(
		"select from webhook_deliveries where status = 'received' or error is not null and route = $1",
		["txn-status-result"],
	);
	expect(parked).toEqual([]);
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

/** Exceptions about a receipt. */
const exceptionsOf = (number: string) =>
	till.database.db.query("select class, ours->>'shortcode' as shortcode from exceptions where subject = $1", [
		number,
	]);
const hour = 3_600;
const day = 24 * hour;

/** Moves all clocks on, and back to the present afterwards. */
async function inTime(work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} finally {
		till.clock.now = undefined;
		await till.sandbox("PUT", "/_control/clock", { now: new Date().toISOString() });
	}
}

test.each(["spike_arrest", "drop"])(
	"a question that ends in %s is asked again after a minute",
	async (fault) => {
		await till.sandbox("PUT", "/_control/faults", [{ operation: "status", fault, count: 1 }]);
		const number = await payUnheard();
		await say(number);
		await inTime(async () => {
			await till.wait(61);
			await becomes(number, { state: "verified", allocated: 0 });
		});
		expect(await count("gateway_queries where receipt = $1", number)).toBe(2);
	},
);

test("a receipt whose job was lost is asked about by the recovery scan; one that is followed to its end is not", async () => {
	await till.sandbox("PUT", "/_control/faults", [{ operation: "status", fault: "drop", count: 1 }]);
	const number = await payUnheard();
	await say(number);
	await till.database.db.query("delete from pgboss.job where name = 'receipts.ask' and state = 'created'");
	const recover = () => till.service.jobs.run("receipts.ask.sweep");
	await inTime(async () => {
		await till.wait(119);
		await recover();
		await till.service.jobs.runDue();
		expect(await count("gateway_queries where receipt = $1", number)).toBe(1);
		await till.wait(2);
		await recover();
		await becomes(number, { state: "verified", allocated: 0 });
	});
	expect(await count("receipts where receipt = $1 and next_check_at is not null", number)).toBe(0);
});

test("a receipt without an answer for a day raises one exception, and is kept 90 days", async () => {
	const { uhai } = till.tenants;
	await till.sandbox("PUT", "/_control/faults", [{ operation: "status", fault: "drop", count: 100 }]);
	const number = await payUnheard();
	await say(number);
	await inTime(async () => {
		for (const seconds of [60, 300, hour, 6 * hour]) await till.wait(seconds);
		expect(await exceptionsOf(number)).toEqual([]);
		const asked = await count("gateway_queries where receipt = $1", number);
		expect(asked).toBe(5);
		for (const _turn of [1, 2]) await till.wait(day);
		expect(await count("receipts where receipt = $1 and next_check_at is not null", number)).toBe(0);
		expect(await exceptionsOf(number)).toEqual([{ class: "missing_there", shortcode: "600200" }]);
		expect(await count("gateway_queries where receipt = $1", number)).toBe(asked);
		await till.wait(60 * day);
		await till.service.jobs.run("receipts.purge-unverified");
		expect(await receiptOf(uhai, number)).toMatchObject({ state: "unverified" });
		await till.wait(29 * day);
		await till.service.jobs.run("receipts.purge-unverified");
		expect(await receiptOf(uhai, number)).toBeUndefined();
	});
});

test("a receipt without an answer whose number another tenant has counted since is removed, without an exception", async () => {
	const { uhai, kahawa } = till.tenants;
	await till.sandbox("PUT", "/_control/faults", [{ operation: "status", fault: "drop", count: 100 }]);
	const number = await payUnheard();
	await say(number);
	await receive(till.database.db, kahawa.id, { receipt: number, shortcode: "600300" });
	await inTime(async () => {
		await till.wait(2 * day);
		expect(await receiptOf(uhai, number)).toBeUndefined();
		expect(await exceptionsOf(number)).toEqual([]);
	});
});

test("a receipt is asked about for the shortcode that it came to, also if the tenant has another one now", async () => {
	const { uhai } = till.tenants;
	const number = newReceiptNumber();
	await receive(till.database.db, uhai.id, { receipt: number, shortcode: "600999", isTrusted: false });
	await till.service.jobs.runDue();
	expect(await count("gateway_queries where shortcode = '600999' and receipt = $1", number)).toBe(1);
});

test("receipts of which the gateway says something else, and questions, are removed after seven days", async () => {
	const { uhai } = till.tenants;
	const [old, recent] = [await payUnheard(70_000), newReceiptNumber()];
	const { id } = await receive(till.database.db, uhai.id, { receipt: old, isTrusted: false });
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return count("gateway_queries where receipt = $1 and status = 'answered'", old);
		})
		.toBe(1);
	const [question] = await inTenant(till.database.db, uhai.id, (tx) =>
		tx.query<{ id: string }>("select id from gateway_queries where receipt = $1", [old]),
	);
	expect(await count("callback_tokens where object_id = $1", question?.id)).toBe(2);
	const days = 1_000 * day;
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
