import { uuidV7Floor } from "@lango/events";
import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { DeliveryStatus } from "../delivery.ts";

/** How many deliveries of a day and channel have a status. The day is when their message was accepted. */
export type DayCount = { day: string; channel: Channel; status: DeliveryStatus; count: number };

/** The first and the last day, in the tenant's time zone. */
export type Days = { from: string; to: string };

/**
 * Returns the tenant's date, and when its day `from` begins and its day `to` ends. Call it inside the tenant.
 */
export async function findSpan(
	tx: Database,
	{ from, to }: Days,
): Promise<{ begins: Date; ends: Date } | undefined> {
	const [row] = await tx.query<{ begins: Date; ends: Date }>(
		`select $1::date::timestamp at time zone time_zone as begins,
		        ($2::date + 1)::timestamp at time zone time_zone as ends
		   from tenants where id = current_setting('app.tenant_id')::uuid`,
		[from, to],
	);
	return row;
}

/** Returns today's date in the tenant's time zone. Call it inside the tenant. */
export async function findToday(tx: Database, now: Date): Promise<string | undefined> {
	const [row] = await tx.query<{ today: string }>(
		"select ($1::timestamptz at time zone time_zone)::date::text as today from tenants where id = current_setting('app.tenant_id')::uuid",
		[now],
	);
	return row?.today;
}

/**
 * Counts deliveries of messages accepted in a span, by day, channel and status; tests are not counted. Call
 * it inside the tenant.
 */
export async function countByDay(
	tx: Database,
	query: { begins: Date; ends: Date; outlets: OutletFilter; channel: Channel | undefined },
): Promise<DayCount[]> {
	const { begins, ends, outlets, channel } = query;
	return tx.query<DayCount>(
		`select (m.created_at at time zone t.time_zone)::date::text as day, d.channel, d.status, count(*)::integer as count
		   from messages m
		   join tenants t on t.id = m.tenant_id
		   join message_deliveries d on d.tenant_id = m.tenant_id and d.message_id = m.id
		  where m.id >= $1 and m.id < $2 and m.source <> 'test'
		    and ${withinOutlets("m.outlet_id", "$3")} and ($4::text is null or m.channel = $4)
		  group by 1, 2, 3 order by 1, 2, 3`,
		[uuidV7Floor(begins), uuidV7Floor(ends), outlets, channel ?? null],
	);
}

/** Counts addresses that complained in a span, by channel. Call it inside the tenant. */
export async function countComplaints(
	tx: Database,
	{ begins, ends }: { begins: Date; ends: Date },
): Promise<Map<Channel, number>> {
	const rows = await tx.query<{ channel: Channel; count: number }>(
		`select channel, count(*)::integer as count from suppressions
		  where reason = 'complaint' and created_at >= $1 and created_at < $2 group by channel`,
		[begins, ends],
	);
	return new Map(rows.map(({ channel, count }) => [channel, count]));
}
