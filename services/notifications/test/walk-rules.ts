import { inTenant } from "@lango/postgres";
import { expect } from "vitest";
import { type DeliveryStatus, openStatuses, ranks, stateOfReport } from "../src/delivery.ts";
import { reportable } from "../src/reports/apply-reports.ts";
import { isAccepted, type World } from "./walk-world.ts";

// What is true of a world after any walk.

type Row = {
	id: string;
	message_id: string;
	channel: string;
	status: DeliveryStatus;
	rank: number;
	segments: number;
	reports: string[];
};
const rows = <R extends Record<string, unknown>>({ db, tenant }: World, text: string) =>
	inTenant(db, tenant.id, (tx) => tx.query<R>(text));
const deliveriesOf = (world: World) =>
	rows<Row>(
		world,
		`select d.id, d.message_id, d.channel, d.status, d.rank, d.segments,
		        array(select e.detail->>'report' from delivery_events e where e.tenant_id = d.tenant_id
		               and e.delivery_id = d.id and e.kind = 'report' and e.detail->>'report' is not null) as reports
		   from message_deliveries d`,
	);

/**
 * The messages are those that were accepted, and no others. Every recipient of them is one delivery in one
 * state, and a message knows how many are open.
 */
async function expectSums(world: World, deliveries: readonly Row[]): Promise<void> {
	const byMessage = Map.groupBy(deliveries, ({ message_id }) => message_id);
	const messages = await rows<{ id: string; recipients: number; pending: number }>(
		world,
		"select id, recipients, pending from messages order by id",
	);
	const accepted = [...world.messages].toSorted(([left], [right]) => (left < right ? -1 : 1));
	expect(messages).toEqual(
		accepted.map(([id, recipients]) => {
			const own = byMessage.get(id) ?? [];
			const pending = own.filter(({ status }) => openStatuses.has(status)).length;
			return { id, recipients, pending };
		}),
	);
	expect(messages.map(({ id }) => [id, byMessage.get(id)?.length])).toEqual(accepted);
	expect(byMessage.size).toBe(accepted.length);
}

/** top_up + grant + adjust − settle = balance; reserved is what open texts need; 0 ≤ reserved ≤ balance. */
async function expectCredit(world: World, deliveries: readonly Row[]): Promise<void> {
	const [credit] = await rows<Record<"balance" | "reserved" | "booked" | "settled" | "held", number>>(
		world,
		`select balance::int, reserved::int,
		        (select coalesce(sum(segments), 0)::int from credit_entries where kind in ('top_up', 'grant', 'adjust')) as booked,
		        (select coalesce(sum(segments), 0)::int from credit_entries where kind = 'settle') as settled,
		        (select coalesce(sum(segments), 0)::int from credit_entries where kind = 'reserve')
		        - (select coalesce(sum(segments), 0)::int from credit_entries where kind in ('settle', 'release')) as held
		   from credit_balances`,
	);
	if (credit === undefined) return;
	const texts = deliveries.filter(({ channel }) => channel === "sms");
	const waiting = texts.filter(({ status }) => openStatuses.has(status));
	const sum = (of: readonly Row[]) => of.reduce((total, { segments }) => total + segments, 0);
	const paid = world.topUps.reduce((total, { isPaid, segments }) => total + (isPaid ? segments : 0), 0);
	expect(credit).toMatchObject({
		booked: world.granted + paid,
		balance: credit.booked - credit.settled,
		reserved: sum(waiting),
		held: sum(waiting),
	});
	expect(credit.settled).toBeLessThanOrEqual(sum(texts.filter(({ rank }) => rank >= ranks.sent)));
	expect(credit.reserved).toBeGreaterThanOrEqual(0);
	expect(credit.balance).toBeGreaterThanOrEqual(credit.reserved);
}

/**
 * After a call that a provider may have accepted no text message is called again, and after one that is
 * recorded as accepted no message at all.
 */
function expectNoSecondCall({ calls, settled }: World): void {
	for (const [deliveryId, own] of Map.groupBy(calls, (call) => call.deliveryId)) {
		const isText = own[0]?.channel === "sms" || own[0]?.channel === "whatsapp";
		const last = own.findIndex((call) =>
			isText ? isAccepted(call) || call.behaviour === "lost" : settled.has(call.ref),
		);
		expect([deliveryId, own.slice(last + 1).length], "calls after one that may have succeeded").toEqual([
			deliveryId,
			last === -1 ? own.length : 0,
		]);
	}
}

/** What is said to be sent is at its provider, and a state is the one of the highest report. */
function expectTruth({ calls }: World, deliveries: readonly Row[]): void {
	const accepted = new Set(calls.filter(isAccepted).map(({ deliveryId }) => deliveryId));
	for (const { id, status, rank, reports } of deliveries) {
		if (rank >= ranks.sent && status !== "expired") expect([id, accepted.has(id)]).toEqual([id, true]);
		const states = reports.map((kind) => stateOfReport(kind as Parameters<typeof stateOfReport>[0]));
		const highest = Math.max(0, ...states.map((state) => state?.rank ?? 0));
		if (rank > ranks.sent) expect([id, rank]).toEqual([id, highest]);
		if (reportable.includes(status)) expect([id, rank >= highest]).toEqual([id, true]);
	}
}

/** Expects all of it. Returns the deliveries that are still open. */
export async function expectTrue(world: World): Promise<string[]> {
	const deliveries = await deliveriesOf(world);
	await expectSums(world, deliveries);
	await expectCredit(world, deliveries);
	expectNoSecondCall(world);
	expectTruth(world, deliveries);
	return deliveries.filter(({ status }) => openStatuses.has(status)).map(({ id }) => id);
}
