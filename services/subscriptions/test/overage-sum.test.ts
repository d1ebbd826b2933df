import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import fc from "fast-check";
import { expect, test } from "vitest";
import { setSandboxAnswer } from "../src/billing/sandbox.store.ts";
import { changeBoundaries } from "../src/demo.store.ts";
import { receiveBillPayment } from "../src/overage/bill-payment.ts";
import { settleAll } from "./settle-all.ts";
import { setUsageScene } from "./usage-scene.ts";

// Random reports, consumptions, jobs, ends of periods and payments, repeated or concurrent, beside a model
// that knows the limit, the cap and the price, and counts by day.

const scene = setUsageScene();
const [limit, cap, price] = [10, 6, 125n];
const dayMs = 86_400_000;

type Step =
	| { do: "report"; value: number; daysAgo: number; isTwice: boolean }
	| { do: "reported"; quantity: number }
	| { do: "pass"; days: number; replicas: number }
	| { do: "renew" }
	| { do: "pay"; isTwice: boolean };
const steps: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant("report" as const),
			value: fc.integer({ min: 1, max: 14 }),
			daysAgo: fc.integer({ min: 0, max: 6 }),
			isTwice: fc.boolean(),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("reported" as const), quantity: fc.integer({ min: 1, max: 4 }) }),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant("pass" as const),
			days: fc.integer({ min: 1, max: 12 }),
			replicas: fc.integer({ min: 1, max: 3 }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("renew" as const) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("pay" as const), isTwice: fc.boolean() }) },
);

type World = {
	/** Per day: usage, and overage counted by the service. */
	days: Map<string, { used: number; overage: number }>;
	received: bigint;
};
type Row = { id: string; status: string; charge: bigint; amount: bigint; sum: bigint; balance: bigint };
const bills = () =>
	scene.rows<Row>(
		`select b.id, b.status, b.charge_minor as charge, b.amount_minor as amount, b.balance_minor as balance,
		        (select sum((l ->> 'units')::bigint * (l ->> 'unitPriceMinor')::bigint)::bigint
		           from jsonb_array_elements(b.lines) l) as sum
		   from overage_bills b where b.tenant_id = $1 order by b.period_ends_at`,
		[scene.tenantId],
	);

async function take({ days, received }: World, step: Step): Promise<bigint> {
	const now = scene.service.clock.now;
	if (step.do === "report") {
		const at = new Date(now.getTime() - step.daysAgo * dayMs);
		const event = { id: randomUUID(), metric: "order_count", value: step.value, at: at.toISOString() };
		const send = () => scene.report([event, ...(step.isTwice ? [event] : [])]);
		await Promise.all(step.isTwice ? [send(), send()] : [send()]);
		const day = dayOf(days, at);
		day.overage += Math.max(0, day.used + step.value - Math.max(limit, day.used));
		day.used += step.value;
	} else if (step.do === "reported") {
		const body = { id: randomUUID(), metric: "order_count", quantity: step.quantity };
		for (const _ of [1, 2]) await scene.call({ method: "POST", path: "/overage", body });
		dayOf(days, now).overage += step.quantity;
	} else if (step.do === "pass") {
		const later = new Date(now.getTime() + step.days * dayMs);
		scene.service.clock.now = later;
		const pass = () => settleAll(scene.service, { now: later });
		await Promise.all(Array.from({ length: step.replicas }, pass));
		await pass();
	} else if (step.do === "renew") await renew();
	else return received + (await pay(step.isTwice));
	return received;
}

/** Pays for another period of 28 days, from the end of the last one, or from now if that is long ago. */
async function renew(): Promise<void> {
	const [row] = await scene.rows<{ version: number; ended: Date; expires: Date }>(
		"select version, period_ends_at as ended, expires_at as expires from subscriptions where tenant_id = $1",
		[scene.tenantId],
	);
	const now = scene.service.clock.now;
	if (row === undefined || row.ended > now) return;
	const startedAt = row.expires > now ? row.ended : now;
	const after = (days: number) => new Date(startedAt.getTime() + days * dayMs);
	await changeBoundaries(scene.service.db, {
		tenantId: scene.tenantId,
		version: row.version,
		trial: null,
		period: { startedAt, endsAt: after(28) },
		expiresAt: after(42),
		graceUntil: after(49),
	});
}

/** A tenant's day in Nairobi, which has no clock changes. */
function dayOf(days: World["days"], at: Date): { used: number; overage: number } {
	const name = new Date(at.getTime() + 3 * 3_600_000).toISOString().slice(0, 10);
	const known = days.get(name) ?? { used: 0, overage: 0 };
	days.set(name, known);
	return known;
}

/** Pays the first unpaid bill; with a repeated, concurrent event as an option. */
async function pay(isTwice: boolean): Promise<bigint> {
	const open = (await bills()).find(({ status }) => status !== "paid");
	if (open === undefined) return 0n;
	const paid = { tenantId: scene.tenantId, operationId: open.id, paymentId: randomUUID(), currency: "KES" };
	const announcement = () => receiveBillPayment(scene.service.parts, { ...paid, amountMinor: open.amount });
	await Promise.all(isTwice ? [announcement(), announcement()] : [announcement()]);
	return open.amount;
}

test("the bills contain the overage up to the cap, each line once, and are paid by what was received", async () => {
	const seen = { bills: 0, capped: 0, paid: 0, late: 0 };
	await fc.assert(
		fc.asyncProperty(fc.array(steps, { minLength: 6, maxLength: 20, size: "max" }), async (walk) => {
			scene.service.clock.now = new Date("2026-03-12T12:00:00Z");
			scene.tenantId = await scene.tenantWith({
				limits: { max_orders_per_day: limit },
				overage: { max_orders_per_day: { unit_price_minor: Number(price), cap } },
			});
			await inTenant(scene.service.db, scene.tenantId, (tx) =>
				setSandboxAnswer(tx, { tenantId: scene.tenantId, answer: "silent" }),
			);
			const world: World = { days: new Map(), received: 0n };
			for (const step of walk) world.received = await take(world, step);
			const lines = await scene.rows<{ units: bigint; taken: bigint }>(
				"select units, taken_units as taken from overage_lines where tenant_id = $1",
				[scene.tenantId],
			);
			const made = await bills();
			const over = [...world.days.values()];
			const expected = over.reduce((sum, { overage }) => sum + BigInt(Math.min(overage, cap)), 0n);
			const taken = lines.reduce((sum, line) => sum + line.taken, 0n);
			const billed = made.reduce((sum, { charge }) => sum + charge, 0n);
			expect(lines.reduce((sum, { units }) => sum + units, 0n)).toBe(expected);
			expect(billed).toBe(taken * price);
			for (const bill of made)
				expect([bill.charge, bill.amount + bill.balance]).toEqual([bill.sum, bill.charge]);
			const paid = made.filter(({ status }) => status === "paid");
			expect(paid.reduce((sum, { amount }) => sum + amount, 0n)).toBe(world.received);
			// More than a month later the grace period is over, and nothing remains to bill.
			const end = new Date("2026-12-01T00:00:00Z");
			const before = await bills();
			await settleAll(scene.service, { now: end });
			const all = (await bills()).reduce((sum, { charge }) => sum + charge, 0n);
			const isGraceBilled = before.length > 0 && (await graceBilledBefore(end));
			if (!isGraceBilled) expect(all).toBe(expected * price);
			else expect(all <= expected * price).toBe(true);
			seen.bills += made.length;
			seen.paid += paid.length;
			seen.capped += over.filter(({ overage }) => overage > cap).length;
			seen.late += taken < lines.reduce((sum, { units }) => sum + units, 0n) ? 1 : 0;
		}),
		{ numRuns: 60 },
	);
	for (const count of Object.values(seen)) expect(count, JSON.stringify(seen)).toBeGreaterThan(0);
}, 120_000);

/** What is reported after the last bill waits for a period that never begins. */
async function graceBilledBefore(end: Date): Promise<boolean> {
	const rows = await scene.rows(
		`select 1 from overage_bills b join subscriptions s on s.tenant_id = b.tenant_id
		  where b.tenant_id = $1 and b.period_ends_at = s.grace_until and b.billed_at < $2`,
		[scene.tenantId, end],
	);
	return rows.length > 0;
}
