import { treasuryIntentChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { expect, test } from "vitest";
import { receivePayment } from "../src/billing/receive-payment.ts";
import { receiveReturn } from "../src/billing/receive-return.ts";
import { setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();

type Reported = { operation_id: string; refunded_minor: number; source_service?: string };
let versions = 1;

/** The treasury reports what was returned of a payment, in all, by refunds and disputes that were lost. */
const returns = ({ operation_id, refunded_minor, source_service = "subscriptions" }: Reported) =>
	recordEvent(service.db, treasuryIntentChanged, {
		...{ subject: operation_id, tenantId: desk.tenantId, now: service.clock.now },
		data: {
			...{ intent_id: operation_id, tenant_id: desk.tenantId, operation_id, order_id: null, source_service },
			...{ status: "succeeded", received_minor: 450_000, refunded_minor, version: ++versions },
		},
	});

async function returned(): Promise<number> {
	const [row] = await inTenant(service.db, desk.tenantId, (tx) =>
		tx.query<{ sum: number }>("select coalesce(sum(returned_minor), 0)::int as sum from returned_payments"),
	);
	return row?.sum ?? 0;
}

const settled = (sum: number) => until(async () => (await returned()) === sum);
const paidOperation = async () => {
	const { items } = (await desk.ask("GET", "/payments")).body as { items: Array<{ id: string }> };
	return items[0]?.id ?? "";
};
const renewals = async () =>
	(await desk.events("subscription.billing.requested")).filter(({ data }) => data["kind"] === "renewal");

test("a period whose payment was returned as a whole ends at once, and its renewal is asked for, once", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	service.clock.now = new Date("2026-03-20T12:00:00Z");
	const operation_id = await paidOperation();
	for (const refunded_minor of [450_000, 450_000]) await returns({ operation_id, refunded_minor });
	await until(desk.isOn("GROWTH", "PAST_DUE"));
	expect(await renewals()).toHaveLength(1);
	expect(await desk.books()).toMatchObject({ balance: 0, lines: [{ charged: 450_000, credited: 450_000 }] });
});

test("the period that is paid after it begins with its payment, and lasts a month", async () => {
	await desk.payFor("GROWTH");
	service.clock.now = new Date("2026-03-20T12:00:00Z");
	await returns({ operation_id: await paidOperation(), refunded_minor: 450_000 });
	await until(async () => (await desk.books()).lines.length === 2);
	expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
	expect((await desk.ask("GET", "/billing")).body).toMatchObject({
		...{ period_started_at: "2026-03-20T12:00:00.000Z", period_ends_at: "2026-04-20T12:00:00.000Z" },
	});
});

test("a part that was returned is credited, and the period continues until the rest is returned", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	service.clock.now = new Date("2026-03-20T12:00:00Z");
	const operation_id = await paidOperation();
	await returns({ operation_id, refunded_minor: 100_000 });
	await settled(100_000);
	expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
	expect(await desk.books()).toMatchObject({ lines: [{ charged: 450_000, credited: 100_000 }] });
	await returns({ operation_id, refunded_minor: 450_000 });
	await until(desk.isOn("GROWTH", "PAST_DUE"));
	expect(await desk.books()).toMatchObject({ lines: [{ charged: 450_000, credited: 450_000 }] });
});

test("a cancelled subscription whose payment was returned expires at once", async () => {
	await desk.payFor("GROWTH");
	await desk.ask("POST", "/cancel");
	service.clock.now = new Date("2026-03-20T12:00:00Z");
	await returns({ operation_id: await paidOperation(), refunded_minor: 450_000 });
	await until(desk.isOn("GROWTH", "EXPIRED"));
	expect(await renewals()).toEqual([]);
});

test("a payment that is returned before its period began leaves the trial as it was", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	await desk.ask("POST", "/checkout", { plan: "STARTER" });
	await until(desk.isOn("STARTER", "ACTIVE"));
	await returns({ operation_id: await paidOperation(), refunded_minor: 150_000 });
	await until(desk.isOn("STARTER", "TRIAL"));
	expect(await desk.snapshot()).toMatchObject({ expires_at: "2026-03-15T12:00:00.000Z" });
});

test("credit goes first: a payment that became credit is taken from it", async () => {
	await desk.payFor("GROWTH");
	const operation_id = await paidOperation();
	await inTenant(service.db, desk.tenantId, (tx) =>
		tx.query("update subscriptions set balance_minor = 70000, balance_currency = 'KES'"),
	);
	await returns({ operation_id, refunded_minor: 100_000 });
	await settled(100_000);
	expect(await desk.books()).toMatchObject({ balance: 0, lines: [{ charged: 450_000, credited: 30_000 }] });
});

test("credit stays when a period ends because its payment was returned as a whole", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	service.clock.now = new Date("2026-03-20T12:00:00Z");
	await inTenant(service.db, desk.tenantId, (tx) =>
		tx.query("update subscriptions set balance_minor = 70000, balance_currency = 'KES'"),
	);
	await returns({ operation_id: await paidOperation(), refunded_minor: 450_000 });
	await until(desk.isOn("GROWTH", "PAST_DUE"));
	expect(await desk.books()).toMatchObject({ lines: [{ charged: 450_000, credited: 450_000 }] });
	const [requested] = await renewals();
	expect(requested?.data).toMatchObject({ amount_minor: 380_000 });
});

test("a period ends when its first payment is returned as a whole after a change of plan; what else was paid for the time that is left is credit", async () => {
	await desk.payFor("STARTER");
	const operation_id = await paidOperation();
	service.clock.now = new Date("2026-03-25T12:00:00Z");
	const { quote_id, due_minor } = await desk.quote("GROWTH");
	await desk.ask("POST", "/change", { quote_id, mode: "now" });
	await until(desk.isOn("GROWTH", "ACTIVE"));
	await desk.answers("silent");
	await returns({ operation_id, refunded_minor: 150_000 });
	await until(desk.isOn("GROWTH", "PAST_DUE"));
	// Ten of 31 days were used of what came back.
	const balance = due_minor - (150_000 - 101_612);
	expect(await desk.books()).toMatchObject({ balance });
	expect((await renewals()).at(-1)?.data).toMatchObject({ amount_minor: 450_000 - balance });
});

test("a period ends when a change within it is returned as a whole; what else was paid for the time that is left is credit", async () => {
	await desk.payFor("STARTER");
	service.clock.now = new Date("2026-03-16T12:00:00Z");
	const { quote_id, due_minor } = (await desk.ask("POST", "/quote", { add_ons: ["pos"] })).body;
	await desk.ask("POST", "/change", { quote_id, mode: "now" });
	await until(async () => (await desk.snapshot()).products.includes("pos"));
	await desk.answers("silent");
	service.clock.now = new Date("2026-03-20T12:00:00Z");
	await returns({ operation_id: await paidOperation(), refunded_minor: Number(due_minor) });
	await until(desk.isOn("STARTER", "PAST_DUE"));
	// 26 of 31 days are left.
	expect(await desk.books()).toMatchObject({ balance: 125_806 });
});

test("a return that comes before its payment waits, and is settled once the payment is received", async () => {
	await desk.answers("silent");
	await desk.ask("POST", "", { plan: "STARTER" });
	await desk.ask("POST", "/checkout", { plan: "STARTER" });
	const { tenantId } = desk;
	const operationId = await paidOperation();
	const report = { tenantId, operationId, correlationId: undefined };
	const mint = () => crypto.randomUUID();
	const changing = { db: service.db, clock: { now: () => service.clock.now, hasTestClocks: true }, mint };
	for (const returnedMinor of [50_000n, 150_000n, 50_000n])
		await receiveReturn(changing, { ...report, returnedMinor });
	expect(await desk.books()).toMatchObject({ cash: 0, balance: 0, lines: [] });
	const payment = { paymentId: mint(), amountMinor: 150_000n, currency: "KES" };
	for (let turn = 0; turn < 2; turn += 1) await receivePayment(changing, { ...report, ...payment });
	expect(await desk.books()).toMatchObject({ cash: 150_000, balance: 0 });
	expect(await desk.snapshot()).toMatchObject({ status: "TRIAL", expires_at: "2026-03-15T12:00:00.000Z" });
	expect(await returned()).toBe(150_000);
});

test("what another service asked for, or an operation that is not known, changes nothing", async () => {
	await desk.payFor("GROWTH");
	const operation_id = await paidOperation();
	await returns({ operation_id, refunded_minor: 450_000, source_service: "ordering" });
	await returns({ operation_id: crypto.randomUUID(), refunded_minor: 450_000 });
	await returns({ operation_id, refunded_minor: 1_000 });
	await settled(1_000);
	expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
});
