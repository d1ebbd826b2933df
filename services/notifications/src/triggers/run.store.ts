import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import { skippedStatuses } from "../delivery.ts";
import type { Trigger } from "./trigger.ts";

/** Why a run sends no message on a channel. Without personal data. */
export type Note = { channel?: string; reason: string; field?: string; recipients?: number };

export type NewRun = {
	tenantId: string;
	trigger: Pick<Trigger, "id" | "isPlatform">;
	eventId: string;
	eventType: string;
	event: Sealed;
	dueAt: Date;
};

/** A run that waits for its job. */
export type WaitingRun = { id: string; triggerId: string; eventId: string; event: Sealed };

/**
 * Records a run, once per event and trigger. Returns its id; undefined if it exists. Call it inside the
 * tenant.
 */
export async function recordRun(tx: Database, run: NewRun, now: Date): Promise<string | undefined> {
	const { tenantId, trigger, eventId, eventType, event, dueAt } = run;
	const [row] = await tx.query<{ id: string }>(
		`insert into trigger_runs (tenant_id, trigger_id, platform_trigger_id, event_id, event_type, event_key_id, event,
		   status, due_at, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, 'waiting', $8, $9)
		 on conflict on constraint trigger_runs__event_unique do nothing returning id`,
		[tenantId, ...idsOf(trigger), eventId, eventType, event.keyId, event.sealed, dueAt, now],
	);
	return row?.id;
}

/**
 * Records a run that sends nothing, without its event, once per event and trigger. Call it inside the tenant.
 */
export async function recordSkippedRun(
	tx: Database,
	{ tenantId, trigger, eventId, eventType, reason }: Omit<NewRun, "event" | "dueAt"> & { reason: string },
	now: Date,
): Promise<void> {
	await tx.query(
		`insert into trigger_runs (tenant_id, trigger_id, platform_trigger_id, event_id, event_type, status, notes, due_at,
		   created_at, finished_at)
		 values ($1, $2, $3, $4, $5, 'skipped', $6, $7, $7, $7)
		 on conflict on constraint trigger_runs__event_unique do nothing`,
		[tenantId, ...idsOf(trigger), eventId, eventType, JSON.stringify([{ reason }]), now],
	);
}

/** The rule of a run: one of the tenant, or one of the platform. */
const idsOf = ({ id, isPlatform }: NewRun["trigger"]) => (isPlatform ? [null, id] : [id, null]);

/** Returns a run that is not final; undefined if it has ended. Call it inside the tenant. */
export async function findWaitingRun(tx: Database, id: string): Promise<WaitingRun | undefined> {
	const [row] = await tx.query<{
		id: string;
		trigger_id: string;
		event_id: string;
		event_key_id: string;
		event: Buffer;
	}>(
		`select id, coalesce(trigger_id, platform_trigger_id) as trigger_id, event_id, event_key_id, event from trigger_runs
		  where id = $1 and status = 'waiting' and event is not null`,
		[id],
	);
	return (
		row && {
			id: row.id,
			triggerId: row.trigger_id,
			eventId: row.event_id,
			event: { keyId: row.event_key_id, sealed: row.event },
		}
	);
}

/** How a run ended. */
export type Ending = {
	id: string;
	status: "sent" | "skipped" | "failed";
	messages: number;
	notes: readonly Note[];
};

/** Ends a run, and erases its event unless it failed. Call it inside the tenant. */
export async function finishRun(
	tx: Database,
	{ id, status, messages, notes }: Ending,
	now: Date,
): Promise<void> {
	await tx.query(
		`update trigger_runs
		    set status = $2, messages = $3, notes = $4, finished_at = $5,
		        event = case when $2 = 'failed' then event end, event_key_id = case when $2 = 'failed' then event_key_id end
		  where id = $1 and status = 'waiting'`,
		[id, status, messages, JSON.stringify(notes), now],
	);
}

export type RunMessage = {
	tenantId: string;
	runId: string;
	channel: string;
	recipient: string;
	messageId: string;
};

/**
 * Records that a run makes this message. Returns false if it has made one for the channel and the recipient.
 * A concurrent call waits for the first one. Call it inside the tenant of the message.
 */
export async function recordRunMessage(
	tx: Database,
	{ tenantId, runId, channel, recipient, messageId }: RunMessage,
	now: Date,
): Promise<boolean> {
	const rows = await tx.query(
		`insert into trigger_messages (tenant_id, run_id, channel, recipient, message_id, created_at)
		 values ($1, $2, $3, $4, $5, $6) on conflict on constraint trigger_messages__pkey do nothing returning run_id`,
		[tenantId, runId, channel, recipient, messageId, now],
	);
	return rows.length > 0;
}

/**
 * Returns why the message that a run has made for a channel and a recipient is not sent; undefined if one of
 * its deliveries was not skipped. Call it inside the tenant of the message.
 */
export async function findSkipReason(
	tx: Database,
	{ tenantId, runId, channel, recipient }: Omit<RunMessage, "messageId">,
): Promise<string | undefined> {
	const [made] = await tx.query<{ message_id: string }>(
		"select message_id from trigger_messages where run_id = $1 and channel = $2 and recipient = $3",
		[runId, channel, recipient],
	);
	const [row] = await tx.query<{ status: string; is_skipped: boolean }>(
		`select status, status = any ($3) as is_skipped from message_deliveries
		  where tenant_id = $1 and message_id = $2 order by is_skipped, status limit 1`,
		[tenantId, made?.message_id ?? null, [...skippedStatuses]],
	);
	return row?.is_skipped ? row.status : undefined;
}

/** Lists runs of every tenant that should have ended, in the order of their ids. */
export async function listOverdueRuns(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await db.query<{ tenant_id: string; id: string }>(
		"select tenant_id, id from list_overdue_runs($1, $2, $3)",
		[before, after ?? null, limit],
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}

/** Ends runs that wait for too long, and removes old ones. Returns how many rows it changed. */
export async function purgeRuns(
	db: Database,
	{ waitingSince, before, limit, now }: { waitingSince: Date; before: Date; limit: number; now: Date },
): Promise<number> {
	const [row] = await db.query<{ changed: number }>("select purge_trigger_runs($1, $2, $3, $4) as changed", [
		waitingSince,
		before,
		limit,
		now,
	]);
	return row?.changed ?? 0;
}
