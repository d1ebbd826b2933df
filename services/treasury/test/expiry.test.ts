import { randomBytes } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { askForBill } from "../src/billing/ask-for-bill.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import { lockIntent, type StoredIntent } from "../src/payments/intent.store.ts";
import { recordAskingFailed } from "../src/payments/intent-events.ts";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { addBill, keys } from "./add-bill.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const hour = 3_600_000;
const shortcodes = { tenant: "600200", platform: "600100" } as const;
const page = { keys, settings: { consoleUrl: "" } };

beforeEach(async () => {
	till.clock.now ??= new Date();
	await ensureTenant(till.database.db, till.tenants.uhai.id);
});

const newReceipt = () => randomBytes(5).toString("hex").toUpperCase();

type More = Parameters<typeof addBill>[2];
const now = () => till.clock.now ?? new Date();
const inUhai: <T>(work: Parameters<typeof inTenant<T>>[2]) => Promise<T> = (work) =>
	inTenant(till.database.db, till.tenants.uhai.id, work);

/** Opens an intent of 2,500.00 shillings that is over in an hour. */
const open = (more: More = {}) =>
	inUhai((tx) =>
		addBill(tx, till.tenants.uhai.id, { now: now(), expiresAt: new Date(now().getTime() + hour), ...more }),
	);

/** Lets the service look for intents whose time is over. */
async function expireOverdue(): Promise<void> {
	await till.service.jobs.run("intents.expire.sweep");
	await till.service.jobs.runDue();
}

async function statusOf({ id }: StoredIntent): Promise<string> {
	const found = await inUhai((tx) => lockIntent(tx, id));
	return `${found?.status} ${found?.receivedMinor}`;
}

const eventsOf = async (type: string, { id }: StoredIntent) =>
	(await till.published(type, till.tenants.uhai)).filter((one) => one["intent_id"] === id);
const failuresOf = (intent: StoredIntent) => eventsOf("treasury.payment.failed", intent);

test.each(["tenant", "platform"] as const)(
	"an open intent of the %s expires at its time, and not before; it is published once, and answers its asking",
	async (payee) => {
		const intent = await open({ payee, askedAttempt: 2 });
		await till.wait(3_599);
		await expireOverdue();
		expect(await statusOf(intent)).toBe("requires_payment 0");
		await till.wait(1);
		await expireOverdue();
		await expireOverdue();
		expect(await statusOf(intent)).toBe("expired 0");
		expect(await eventsOf("treasury.intent.changed", intent)).toMatchObject([
			{ status: "expired", version: 2 },
		]);
		expect(await failuresOf(intent)).toMatchObject([
			{ operation_id: intent.operationId, attempt: 2, reason: "expired", amount_minor: 250_000 },
		]);
	},
);

test("while a phone is being asked the intent stays open; it expires when the prompt has ended unpaid", async () => {
	const intent = await open({ payee: "tenant", expiresAt: new Date(now().getTime() + 30_000) });
	const url = `/api/v1${payUrlOf(intent, page)}/push`;
	expect((await till.call({ method: "POST", url, body: { phone: newPhone("is silent") } })).status).toBe(202);
	till.clock.now = new Date(now().getTime() + 40_000);
	await expireOverdue();
	expect(await statusOf(intent)).toBe("processing 0");
	const end = async () => {
		await till.wait(120);
		await expireOverdue();
		return statusOf(intent);
	};
	await expect.poll(end).toBe("expired 0");
	const published = await eventsOf("treasury.intent.changed", intent);
	expect(published.map(({ status }) => status)).toEqual(["processing", "requires_payment", "expired"]);
});

test("a renewal that was answered as failed expires without a second answer; one that was not is answered", async () => {
	const [answered, waiting] = [
		await open({ operationKind: "renewal" }),
		await open({ operationKind: "overage" }),
	];
	await inUhai((tx) => recordAskingFailed(tx, { intent: answered, reason: "refused", now: now() }));
	await till.wait(3_600);
	await expireOverdue();
	expect([await statusOf(answered), await statusOf(waiting)]).toEqual(["expired 0", "expired 0"]);
	expect((await failuresOf(answered)).map(({ reason }) => reason)).toEqual(["refused"]);
	expect((await failuresOf(waiting)).map(({ reason }) => reason)).toEqual(["expired"]);
});

test("an operation that is asked for again after it has expired has failed again, once", async () => {
	const intent = await open();
	await till.wait(3_600);
	await expireOverdue();
	const { tenantId: tenant_id, operationId: operation_id, sourceService, description } = intent;
	const askedAt = now();
	const asked = {
		...{ tenant_id, operation_id, kind: "checkout", attempt: 2, amount_minor: 250_000, currency: "KES" },
		...{ sourceService, description, askedAt, expiresAt: new Date(askedAt.getTime() + hour) },
	};
	for (const _ of [1, 2]) await inUhai((tx) => askForBill(tx, { ...page, now }, asked));
	expect(await failuresOf(intent)).toMatchObject([{ attempt: 1 }, { attempt: 2, reason: "expired" }]);
	expect(await statusOf(intent)).toBe("expired 0");
});

test("an operation that is asked for again in time is open until the time of the later asking", async () => {
	const intent = await open();
	const { tenantId: tenant_id, operationId: operation_id, sourceService, description } = intent;
	const asked = {
		...{ tenant_id, operation_id, kind: "checkout", attempt: 2, amount_minor: 250_000, currency: "KES" },
		...{ sourceService, description, askedAt: now(), expiresAt: new Date(now().getTime() + 2 * hour) },
	};
	await inUhai((tx) => askForBill(tx, { ...page, now }, asked));
	await till.wait(3_600);
	await expireOverdue();
	expect(await statusOf(intent)).toBe("requires_payment 0");
	await till.wait(3_600);
	await expireOverdue();
	expect(await failuresOf(intent)).toMatchObject([{ attempt: 2, reason: "expired" }]);
});

/** The gateway confirms what a payer paid at a counter: its validation was asked for in time. */
const confirm = (
	{ tenantId, id: intentId, payee: custody, accountCode: accountRef }: StoredIntent,
	amountMinor: bigint,
) =>
	inUhai((tx) =>
		applyOutcome(tx, {
			...{ tenantId, intentId, source: "delivery", sourceId: "1", isTrusted: true, at: now() },
			money: {
				...{ receipt: newReceipt(), shortcode: shortcodes[custody], custody, amountMinor, currency: "KES" },
				...{ accountRef, payerMasked: null, paidAt: now() },
			},
		}),
	);

test("money that is confirmed after the time still pays a tenant's intent, also in parts", async () => {
	const intent = await open({ payee: "tenant" });
	await till.wait(3_600);
	await expireOverdue();
	await confirm(intent, 100_000n);
	expect(await statusOf(intent)).toBe("partially_paid 100000");
	await expireOverdue();
	expect(await statusOf(intent)).toBe("partially_paid 100000");
	await confirm(intent, 150_000n);
	expect(await statusOf(intent)).toBe("succeeded 250000");
	const published = await eventsOf("treasury.intent.changed", intent);
	expect(published.map(({ status }) => status)).toEqual(["expired", "partially_paid", "succeeded"]);
	expect(await failuresOf(intent)).toHaveLength(1);
	expect(await eventsOf("treasury.payment.succeeded", intent)).toHaveLength(1);
});

test("money that is confirmed after the time of a bill stays unapplied", async () => {
	const { uhai } = till.tenants;
	const intent = await open();
	await till.wait(3_600);
	await expireOverdue();
	await confirm(intent, 250_000n);
	expect(await statusOf(intent)).toBe("expired 0");
	expect(await till.balances(uhai)).toMatchObject({ unapplied: 250_000 });
	expect(await eventsOf("treasury.payment.succeeded", intent)).toEqual([]);
});
