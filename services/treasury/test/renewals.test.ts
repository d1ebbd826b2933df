import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { askForBill } from "../src/billing/ask-for-bill.ts";
import { type BillingMethod, updateBillingMethod } from "../src/billing/methods/billing-method.store.ts";
import { findLastFailure } from "../src/billing/methods/last-failure.store.ts";
import { switchHalt } from "../src/halts/halt.store.ts";
import { listAttempts } from "../src/payments/attempt.store.ts";
import { lockOperation } from "../src/payments/intent.store.ts";
import { keys } from "./add-bill.ts";
import { newOperation, newPhone, openTill } from "./till.ts";

const till = setUp(() => openTill({ LOG_LEVEL: "warn" }));
const now = () => till.clock.now ?? new Date();
const parts = { keys, now, settings: { consoleUrl: "" } };
const sourceService = "subscriptions";

let phones = 0;
/** A tenant of its own for each test. */
let tenant: { id: string };
beforeEach(async () => {
	tenant = { id: randomUUID() };
	await ensureTenant(till.database.db, tenant.id);
	till.clock.now = new Date("2031-03-03T09:00:00Z");
});

const inIt: <T>(work: Parameters<typeof inTenant<T>>[2]) => Promise<T> = (work) =>
	inTenant(till.database.db, tenant.id, work);

const setMethod = (kind: BillingMethod["kind"], phone: string | null = null) =>
	inIt((tx) => updateBillingMethod(tx, tenant.id, { kind, phone, email: null, now: now() }));

type Asking = { currency?: string; amountMinor?: number; kind?: string; operationId?: string };

/** Another service asks the tenant to pay now. */
async function ask({ currency = "KES", amountMinor = 250_000, kind = "renewal", ...asking }: Asking = {}) {
	const { operationId = newOperation() } = asking;
	const askedAt = now();
	await inIt((tx) =>
		askForBill(tx, parts, {
			...{ operation_id: operationId, tenant_id: tenant.id, kind, attempt: 1, currency },
			...{ amount_minor: amountMinor, sourceService, description: "Lango plan", askedAt },
			expiresAt: new Date(askedAt.getTime() + 90 * 86_400_000),
		}),
	);
	return operationId;
}

const bill = (operationId: string) => inIt((tx) => lockOperation(tx, { sourceService, operationId }));

/** The attempts to pay a bill, as channel and status, the first first. */
async function attemptsOf(operationId: string): Promise<string[]> {
	const intent = await bill(operationId);
	const attempts = await inIt((tx) => listAttempts(tx, [intent?.id ?? ""]));
	return attempts.map(({ channel, status }) => `${channel} ${status}`);
}

/** The events of a type about an operation, the first first. */
async function publishedOf(type: string, operationId: string): Promise<Array<{ reason?: string }>> {
	const rows = await till.database.db.query<{ data: { reason?: string } }>(
		`select envelope->'data' as data from outbox
		  where envelope->>'type' = $1 and envelope->'data'->>'operation_id' = $2 order by position`,
		[type, operationId],
	);
	return rows.map(({ data }) => data);
}

/** Why the asking failed, each time that it is published. */
const failuresOf = async (operationId: string) =>
	(await publishedOf("treasury.payment.failed", operationId)).map(({ reason }) => reason);

/** How often each of some askings was published as required. */
const requiredOf = (...operationIds: string[]): Promise<number[]> =>
	Promise.all(operationIds.map(async (id) => (await publishedOf("treasury.payment.required", id)).length));

test("a renewal in another currency than shillings fails at once, and is paid at the card gateway's page", async () => {
	await setMethod("push", newPhone("accepts"));
	const operationId = await ask({ currency: "USD", amountMinor: 1_000 });
	expect(await failuresOf(operationId)).toEqual(["no_billing_method"]);
	expect(await requiredOf(operationId)).toEqual([1]);
	expect(await bill(operationId)).toMatchObject({
		...{ status: "requires_payment", channels: ["card", "bank_transfer", "mobile_money", "ussd"] },
	});
});

test("a renewal of more than a prompt can ask for fails at once: a part of a shilling counts as a whole one", async () => {
	await setMethod("push", newPhone("is silent"));
	const most = await ask({ kind: "overage", amountMinor: 25_000_000 });
	const more = await ask({ amountMinor: 25_000_001 });
	expect(await failuresOf(more)).toEqual(["no_billing_method"]);
	await till.service.jobs.runDue();
	expect([await attemptsOf(most), await attemptsOf(more)]).toEqual([["push awaiting"], []]);
});

test("an asking whose billing method is removed meanwhile fails, and asks no phone", async () => {
	await setMethod("push", newPhone("accepts"));
	const operationId = await ask();
	await setMethod("none");
	await till.service.jobs.runDue();
	expect(await failuresOf(operationId)).toEqual(["no_billing_method"]);
	expect(await attemptsOf(operationId)).toEqual([]);
});

test("prompts that the gateway refuses use up none of the three: the phone is asked when it accepts them", async () => {
	await setMethod("push", newPhone("is silent"));
	await till.sandbox("PUT", "/_control/faults", [{ operation: "push", fault: "spike_arrest", count: 3 }]);
	const operationId = await ask();
	const lastAttempt = async () => {
		await till.wait(1_800);
		return (await attemptsOf(operationId)).at(-1);
	};
	await expect.poll(lastAttempt).toBe("push awaiting");
	expect((await attemptsOf(operationId)).slice(0, 3)).toEqual(Array(3).fill("push rejected"));
	expect(await failuresOf(operationId)).toEqual([]);
});

const halt = (isOn: boolean) =>
	switchHalt(
		till.database.db,
		{
			...{ scope: "collections", tenantId: tenant.id, isOn, because: "the gateway is being tested" },
			...{ setBy: "operator", setAt: now() },
		},
		async () => {},
	);

test("a halt uses up no prompt: the phone is asked after it", async () => {
	await setMethod("push", newPhone("is silent"));
	await halt(true);
	const operationId = await ask();
	for (const _ of [1, 2, 3, 4]) await till.wait(300);
	expect(await attemptsOf(operationId)).toEqual([]);
	await halt(false);
	await till.wait(300);
	expect(await attemptsOf(operationId)).toEqual(["push awaiting"]);
});

test("a renewal whose gateway is not configured is in the log, and is asked for once it is", async () => {
	await setMethod("push", newPhone("is silent"));
	const { db } = till.database;
	const [profile] = await db.query<{ base_url: string }>(
		"select base_url from gateway_profiles where kind = 'mobile_money'",
	);
	const setUrl = (url: string | null) =>
		db.query("update gateway_profiles set base_url = $1 where kind = 'mobile_money'", [url]);
	await setUrl(null);
	const operationId = await ask();
	await till.service.jobs.runDue();
	expect([await attemptsOf(operationId), await failuresOf(operationId)]).toEqual([[], []]);
	const lines = till.logged.filter((line) => line.includes("a prompt was not sent"));
	expect(lines.map((line) => JSON.parse(line))).toMatchObject([
		{ refusal: "channel_unavailable", requestedBy: "renewal", tenantId: tenant.id },
	]);
	await setUrl(profile?.base_url ?? null);
	await till.wait(300);
	expect(await attemptsOf(operationId)).toEqual(["push awaiting"]);
});

const requireAll = async () => {
	await till.service.jobs.run("bills.require.sweep");
	await till.service.jobs.runDue();
};

test("an asking that is halted for 20 hours fails as halted, and only then somebody has to pay", async () => {
	await setMethod("push", newPhone("is silent"));
	await halt(true);
	const operationId = await ask();
	await till.wait(20 * 3_600 - 1);
	await requireAll();
	expect(await failuresOf(operationId)).toEqual([]);
	expect(await requiredOf(operationId)).toEqual([0]);
	await till.wait(1);
	expect(await failuresOf(operationId)).toEqual(["halted"]);
	expect(await requiredOf(operationId)).toEqual([1]);
});

const setStatus = (status: "active" | "suspended") =>
	till.database.db.query("update tenants set status = $2 where id = $1", [tenant.id, status]);

test.each([
	["cancels", { digits: "032", reason: "cancelled_by_payer", code: "1032" }],
	["has not enough money", { digits: "100", reason: "insufficient_funds", code: "1" }],
	["enters a wrong PIN", { digits: "201", reason: "refused", code: "2001" }],
])(
	"the asking of a payer who %s three times fails, with this reason",
	async (_, { digits, reason, code }) => {
		await till.wait(0);
		phones += 1;
		await setMethod("push", `254711${String(phones).padStart(3, "0")}${digits}`);
		const operationId = await ask();
		const ended = async () => {
			await till.service.jobs.runDue();
			return (await attemptsOf(operationId)).filter((attempt) => !attempt.endsWith("awaiting"));
		};
		for (const count of [1, 2, 3]) {
			await expect.poll(ended).toHaveLength(count);
			expect(await failuresOf(operationId)).toEqual([]);
			await till.wait(4 * 3_600 + 60);
		}
		expect(await failuresOf(operationId)).toEqual([reason]);
		expect(await inIt(findLastFailure)).toEqual({ code, at: expect.any(Date) });
	},
);

test("an attempt that may still pay, or is for a bill that a person pays, does not count as a failed renewal", async () => {
	expect(await inIt(findLastFailure)).toBeUndefined();
	await setMethod("push", newPhone("is silent"));
	const operationId = await ask();
	await till.wait(1);
	expect(await attemptsOf(operationId)).toEqual(["push awaiting"]);
	expect(await inIt(findLastFailure)).toBeUndefined();
	await inIt((tx) => tx.query("update attempts set status = 'expired', rank = 4"));
	expect(await inIt(findLastFailure)).toMatchObject({ code: "expired" });
	await inIt((tx) => tx.query("update intents set operation_kind = 'checkout'"));
	expect(await inIt(findLastFailure)).toBeUndefined();
});

test("a suspended tenant is sent nothing; once it is active again, its phone is asked, and what somebody has to pay is published as required once", async () => {
	await setStatus("suspended");
	const unable = await ask({ kind: "overage" });
	await setMethod("push", newPhone("is silent"));
	const [checkout, overage] = [await ask({ kind: "checkout" }), await ask({ kind: "overage" })];
	await till.wait(300);
	await requireAll();
	expect(await attemptsOf(overage)).toEqual([]);
	expect(await requiredOf(unable, checkout, overage)).toEqual([0, 0, 0]);
	await setStatus("active");
	for (const _turn of [1, 2]) await requireAll();
	expect(await requiredOf(unable, checkout, overage)).toEqual([1, 1, 0]);
	await till.wait(300);
	expect(await attemptsOf(overage)).toEqual(["push awaiting"]);
});

test("the asking of a tenant that stays suspended for 20 hours has expired", async () => {
	await setMethod("push", newPhone("is silent"));
	await setStatus("suspended");
	const operationId = await ask();
	await till.wait(20 * 3_600);
	expect(await failuresOf(operationId)).toEqual(["expired"]);
});

const recover = async () => {
	await till.service.jobs.run("renewals.prompt.sweep");
	await till.service.jobs.runDue();
};

test("an asking whose job was lost is answered 20 hours after it, once; that of a checkout is not", async () => {
	const { db } = till.database;
	await setMethod("push", newPhone("is silent"));
	const [lost, checkout] = [await ask({ kind: "overage" }), await ask({ kind: "checkout" })];
	await db.query("delete from pgboss.job where name = 'renewals.prompt' and state = 'created'");
	till.clock.now = new Date(now().getTime() + 20 * 3_600_000);
	await recover();
	expect(await failuresOf(lost)).toEqual([]);
	till.clock.now = new Date(now().getTime() + 301_000);
	for (const _ of [1, 2]) await recover();
	expect(await failuresOf(lost)).toEqual(["expired"]);
	expect(await failuresOf(checkout)).toEqual([]);
});

test("an asking continues however often its job fails", async () => {
	const setTimeZone = (timeZone: string) =>
		till.database.db.query("update tenants set time_zone = $2 where id = $1", [tenant.id, timeZone]);
	await setMethod("push", newPhone("is silent"));
	const operationId = await ask();
	await setTimeZone("Mars/Olympus");
	for (const _ of Array(9)) await till.wait(7_200);
	await setTimeZone("Africa/Nairobi");
	till.clock.now = new Date("2031-03-03T09:00:00Z");
	await till.wait(7_200);
	expect(await attemptsOf(operationId)).toEqual(["push awaiting"]);
});
