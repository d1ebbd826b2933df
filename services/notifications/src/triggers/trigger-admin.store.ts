import type { Database } from "@lango/postgres";
import type { Note } from "./run.store.ts";
import { allTriggers } from "./trigger.store.ts";
import type { Trigger } from "./trigger.ts";
import type { TriggerTerms } from "./trigger-problem.ts";

/** A rule as its tenant sees it. Of a rule of the platform, `isEnabled` is the tenant's choice. */
export type TriggerView = TriggerTerms & {
	id: string;
	isPlatform: boolean;
	sender: Trigger["sender"];
	/** Those who are recipients as `user:<id>`. */
	people: ReadonlyArray<{ user_id: string; name: string }>;
	lastRun: Pick<RunView, "status" | "messages" | "createdAt"> | undefined;
	createdAt: Date;
	updatedAt: Date;
};

type Row = {
	id: string;
	is_platform: boolean;
	name: string;
	event_type: string;
	template: string;
	channels: Trigger["channels"];
	mode: Trigger["mode"];
	sender: Trigger["sender"];
	recipients: string[];
	conditions: Trigger["conditions"];
	map: Trigger["map"];
	delay_seconds: number;
	digest: Trigger["digest"];
	is_enabled: boolean;
	created_at: Date;
	updated_at: Date;
	run_status: string | null;
	run_messages: number;
	run_at: Date;
};

const view = `select t.id, t.is_platform, t.name, t.event_type, t.template, t.channels, t.mode, t.sender,
	t.recipients, t.conditions, t.map, t.delay_seconds, t.digest, t.created_at, t.updated_at,
	t.is_enabled and not exists (select from trigger_switches s where s.trigger_id = t.id) as is_enabled,
	l.status as run_status, l.messages as run_messages, l.created_at as run_at
	from ${allTriggers} left join lateral (
	  select r.status, r.messages, r.created_at from trigger_runs r
	   where coalesce(r.trigger_id, r.platform_trigger_id) = t.id order by r.created_at desc, r.id desc limit 1) l on true
	where (not t.is_platform or t.is_enabled)`;

type Named = TriggerView["people"][number];

const fromRow = (row: Row, people: readonly Named[]): TriggerView => ({
	id: row.id,
	isPlatform: row.is_platform,
	name: row.name,
	eventType: row.event_type,
	template: row.template,
	channels: row.channels,
	mode: row.mode,
	sender: row.sender,
	recipients: row.recipients,
	conditions: row.conditions,
	map: row.map,
	delaySeconds: row.delay_seconds,
	digest: row.digest,
	isEnabled: row.is_enabled,
	createdAt: row.created_at,
	updatedAt: row.updated_at,
	people: people.filter(({ user_id }) => row.recipients.includes(`user:${user_id}`)),
	lastRun:
		row.run_status === null
			? undefined
			: { status: row.run_status, messages: row.run_messages, createdAt: row.run_at },
});

/**
 * Lists the tenant's rules and those of the platform, in the order of their ids. Call it inside the tenant.
 */
export async function listTriggers(
	tx: Database,
	{ tenantId, after, limit }: { tenantId: string; after: string | undefined; limit: number },
): Promise<TriggerView[]> {
	const rows = await tx.query<Row>(`${view} and ($1::uuid is null or t.id > $1) order by t.id limit $2`, [
		after ?? null,
		limit,
	]);
	const people = await peopleOf(tx, tenantId, rows);
	return rows.map((row) => fromRow(row, people));
}

/** Returns a rule of the tenant or of the platform; undefined if not found. Call it inside the tenant. */
export async function findTriggerView(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<TriggerView | undefined> {
	const [row] = await tx.query<Row>(`${view} and t.id = $1`, [id]);
	return row && fromRow(row, await peopleOf(tx, tenantId, [row]));
}

/** Lists the people who are recipients of these rules, by name. */
async function peopleOf(tx: Database, tenantId: string, rows: readonly Row[]): Promise<Named[]> {
	const prefix = "user:";
	const ids = rows
		.flatMap(({ recipients }) => recipients)
		.filter((one) => one.startsWith(prefix))
		.map((one) => one.slice(prefix.length));
	if (ids.length === 0) return [];
	return tx.query<Named>(
		"select id as user_id, name from recipients where tenant_id = $1 and id = any ($2) order by name, id",
		[tenantId, ids],
	);
}

/**
 * Counts the tenant's own rules. Until the end of the transaction no other one counts them. Call it inside
 * the tenant.
 */
export async function countOwnTriggers(tx: Database, tenantId: string): Promise<number> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended('triggers ' || $1, 0))", [tenantId]);
	const [row] = await tx.query<{ n: number }>("select count(*)::integer as n from triggers");
	return row?.n ?? 0;
}

/**
 * Records a new rule of the tenant. Throws the database's error if its name is in use. Call it inside the
 * tenant.
 */
export async function recordTrigger(
	tx: Database,
	{ tenantId, terms, by, now }: { tenantId: string; terms: TriggerTerms; by: string; now: Date },
): Promise<string> {
	const [row] = await tx.query<{ id: string }>(
		`insert into triggers (tenant_id, created_by, created_at, updated_at, name, event_type, template, channels, mode,
		   recipients, conditions, map, delay_seconds, is_enabled, digest)
		 values ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning id`,
		[tenantId, by, now, ...valuesOf(terms)],
	);
	if (row === undefined) throw new Error("the rule was not recorded");
	return row.id;
}

/**
 * Changes a rule of the tenant. Throws the database's error if its name is in use. Call it inside the tenant.
 */
export async function changeTrigger(
	tx: Database,
	{ id, terms, now }: { id: string; terms: TriggerTerms; now: Date },
): Promise<void> {
	await tx.query(
		`update triggers
		    set updated_at = $2, name = $3, event_type = $4, template = $5, channels = $6, mode = $7, recipients = $8,
		        conditions = $9, map = $10, delay_seconds = $11, is_enabled = $12, digest = $13
		  where id = $1`,
		[id, now, ...valuesOf(terms)],
	);
}

const valuesOf = (terms: TriggerTerms): readonly unknown[] => [
	...[terms.name, terms.eventType, terms.template, [...terms.channels], terms.mode, [...terms.recipients]],
	...[JSON.stringify(terms.conditions), JSON.stringify(terms.map), terms.delaySeconds, terms.isEnabled],
	terms.digest === null ? null : JSON.stringify(terms.digest),
];

/** Removes a rule of the tenant with its runs. Returns whether it existed. Call it inside the tenant. */
export async function removeTrigger(tx: Database, id: string): Promise<boolean> {
	const rows = await tx.query("delete from triggers where id = $1 returning id", [id]);
	return rows.length > 0;
}

/** Switches a rule of the platform on or off for the tenant. Call it inside the tenant. */
export async function switchTrigger(
	tx: Database,
	{ tenantId, id, isOn, by, now }: { tenantId: string; id: string; isOn: boolean; by: string; now: Date },
): Promise<void> {
	if (isOn) {
		await tx.query("delete from trigger_switches where trigger_id = $1", [id]);
		return;
	}
	await tx.query(
		`insert into trigger_switches (tenant_id, trigger_id, set_by, set_at) values ($1, $2, $3, $4)
		 on conflict on constraint trigger_switches__pkey do nothing`,
		[tenantId, id, by, now],
	);
}

/** What became of an event by a rule. */
export type RunView = {
	id: string;
	eventId: string;
	eventType: string;
	status: string;
	messages: number;
	notes: readonly Note[];
	dueAt: Date;
	createdAt: Date;
	finishedAt: Date | null;
	/** Whether it failed and its event is stored. */
	isReplayable: boolean;
	/** The first of its messages in this tenant, with the states of their deliveries. */
	firstMessages: ReadonlyArray<{ id: string; channel: string; statuses: readonly string[] }>;
	/** Microseconds since 1970: the place of the run in the list. */
	place: string;
};

/** Of each run so many messages are listed. */
const firstMessagesMax = 5;

/** Lists the runs of a rule, the newest first. Call it inside the tenant. */
export async function listRuns(
	tx: Database,
	{
		tenantId,
		triggerId,
		after,
		limit,
	}: { tenantId: string; triggerId: string; after: readonly [string, string] | undefined; limit: number },
): Promise<RunView[]> {
	const rows = await tx.query<{
		id: string;
		event_id: string;
		event_type: string;
		status: string;
		messages: number;
		notes: Note[];
		due_at: Date;
		created_at: Date;
		finished_at: Date | null;
		is_replayable: boolean;
		first_messages: Array<{ id: string; channel: string }>;
		place: string;
	}>(
		`select r.id, r.event_id, r.event_type, r.status, r.messages, r.notes, r.due_at, r.created_at, r.finished_at,
		        r.status = 'failed' and r.event is not null as is_replayable,
		        array(select jsonb_build_object('id', m.message_id, 'channel', m.channel)
		                from trigger_messages m where m.run_id = r.id order by m.created_at, m.message_id limit $5) as first_messages,
		        (extract(epoch from r.created_at) * 1000000)::bigint::text as place
		   from trigger_runs r
		  where coalesce(r.trigger_id, r.platform_trigger_id) = $1
		    and ($2::bigint is null or (r.created_at, r.id) < (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::uuid))
		  order by r.created_at desc, r.id desc limit $4`,
		[triggerId, after?.[0] ?? null, after?.[1] ?? null, limit, firstMessagesMax],
	);
	const messageIds = rows.flatMap((row) => row.first_messages.map(({ id }) => id));
	const statuses = await statusesOf(tx, tenantId, messageIds);
	return rows.map((row) => ({
		id: row.id,
		eventId: row.event_id,
		eventType: row.event_type,
		status: row.status,
		messages: row.messages,
		notes: row.notes,
		dueAt: row.due_at,
		createdAt: row.created_at,
		finishedAt: row.finished_at,
		isReplayable: row.is_replayable,
		firstMessages: row.first_messages.map((one) => ({ ...one, statuses: statuses.get(one.id) ?? [] })),
		place: row.place,
	}));
}

/** Returns the states of the deliveries of messages, by the id of the message. */
async function statusesOf(
	tx: Database,
	tenantId: string,
	messageIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
	if (messageIds.length === 0) return new Map();
	const rows = await tx.query<{ message_id: string; statuses: string[] }>(
		`select message_id, array_agg(distinct status order by status) as statuses from message_deliveries
		  where tenant_id = $1 and message_id = any ($2) group by message_id`,
		[tenantId, [...messageIds]],
	);
	return new Map(rows.map((row) => [row.message_id, row.statuses]));
}

/**
 * Lets a failed run wait again. Returns its id; `gone` if its event was erased; undefined if there is no run.
 * A run that waits already stays as it is. Call it inside the tenant.
 */
export async function reopenRun(
	tx: Database,
	{ triggerId, eventId, now }: { triggerId: string; eventId: string; now: Date },
): Promise<{ id: string } | "gone" | undefined> {
	const [run] = await tx.query<{ id: string; has_event: boolean }>(
		`select id, event is not null as has_event from trigger_runs
		  where coalesce(trigger_id, platform_trigger_id) = $1 and event_id = $2 for update`,
		[triggerId, eventId],
	);
	if (run === undefined) return undefined;
	if (!run.has_event) return "gone";
	await tx.query(
		`update trigger_runs set status = 'waiting', due_at = $2, finished_at = null where id = $1 and status = 'failed'`,
		[run.id, now],
	);
	return { id: run.id };
}
