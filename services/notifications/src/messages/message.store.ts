import type { Database } from "@lango/postgres";
import type { Changed } from "../dispatch/settle.store.ts";
import type { DayLimit } from "./refusals.ts";

/** A message and its deliveries as `record_message` takes them; byte strings are in hex. */
export type NewMessage = {
	message: Readonly<Record<string, unknown>>;
	deliveries: ReadonlyArray<Readonly<Record<string, unknown>>>;
	rules: Readonly<Record<string, unknown>>;
	/** The tenant whose people the deliveries are to: of a message of the platform, that which it is about. */
	peopleOf: string;
};

/** What became of a message. */
export type Accepted = {
	messageId: string;
	isReplayed: boolean;
	/** Deliveries that are queued. */
	pending: number;
	/** Deliveries by status. */
	counts: Readonly<Record<string, number>>;
};

/**
 * Records a message in the caller's transaction, unless it was recorded before. `admitMessage` must follow.
 * Call it inside the tenant. Throws the database's error with the code LN001 (key reused).
 */
export async function recordMessage(
	tx: Database,
	made: NewMessage & { tenantId: string; now: Date },
): Promise<Accepted> {
	const { tenantId, message, deliveries, peopleOf, now } = made;
	const isOfOthers = peopleOf !== tenantId && made.rules["is_critical"] !== true;
	const rules = isOfOthers ? { ...made.rules, people: await peopleOfDeliveries(tx, made) } : made.rules;
	const [row] = await tx.query<{
		message_id: string;
		is_replayed: boolean;
		pending: number;
		counts: Record<string, number>;
	}>("select message_id, is_replayed, pending, counts from record_message($1, $2, $3, $4, $5)", [
		tenantId,
		JSON.stringify(message),
		JSON.stringify(deliveries),
		JSON.stringify(rules),
		now,
	]);
	if (row === undefined) throw new Error("record_message returned no row");
	return {
		messageId: row.message_id,
		isReplayed: row.is_replayed,
		pending: row.pending,
		counts: row.counts,
	};
}

/**
 * Returns the people whose deliveries these are, by delivery. A function that runs on the node of the
 * message's tenant cannot read those of another one.
 */
async function peopleOfDeliveries(
	tx: Database,
	{ message, deliveries, peopleOf }: NewMessage,
): Promise<Readonly<Record<string, object>>> {
	const rows = await tx.query<{ id: string }>(
		`select id, user_id, is_on, time_zone, quiet_from, quiet_until from people_of_deliveries($1, $2, $3, $4)`,
		[peopleOf, message["channel"], message["category"], JSON.stringify(deliveries)],
	);
	return Object.fromEntries(rows.map((row) => [row.id, row]));
}

/** The keys under which a request is found again, and what it says; in hex, the newest first. */
export type RequestKeys = {
	caller: string;
	key_hash: string;
	older_key_hashes: readonly string[];
	body_hmacs: readonly string[];
};

/** Returns the id of the message that an equal request made within 24 hours. Call it inside the tenant. */
export async function findAccepted(
	tx: Database,
	{ tenantId, caller, now, ...keys }: RequestKeys & { tenantId: string; now: Date },
): Promise<string | undefined> {
	const [row] = await tx.query<{ message_id: string }>(
		`select message_id from idempotency_keys
		  where tenant_id = $1 and caller = $2 and key_hash in (select decode(key, 'hex') from unnest($3::text[]) key)
		    and encode(body_hmac, 'hex') = any ($4) and expires_at > $5`,
		[tenantId, caller, [keys.key_hash, ...keys.older_key_hashes], [...keys.body_hmacs], now],
	);
	return row?.message_id;
}

/** A recorded message, and the limits that it must keep. */
export type Admission = { tenantId: string; messageId: string; rules: NewMessage["rules"]; now: Date };

/** What a recorded message became by its limits. */
type Admitted = { pending: number; skipped: string | null; reached: DayLimit | null };

const admission = "select pending, skipped, reached from admit_message($1, $2, $3, $4)";
const valuesOf = ({ tenantId, messageId, rules, now }: Admission) => [
	tenantId,
	messageId,
	JSON.stringify(rules),
	now,
];

/**
 * Counts the queued deliveries of a recorded message against the limits, reserves credit, and wakes the lane.
 * Returns how many stay queued, why the others were skipped, and the limit of the day that was reached.
 * Throws the database's error with the code LN002 (daily limit), LN003 (more recipients than the burst),
 * LN004 (channel limit) or LN005 (new recipients during the trial).
 */
export async function admitMessage(tx: Database, about: Admission): Promise<Admitted> {
	const [row] = await tx.query<Admitted>(admission, valuesOf(about));
	if (row === undefined) throw new Error("admit_message returned no row");
	return row;
}

/** As `admitMessage`, sent with the commit: the transaction rejects with its errors. */
export function admitBeforeCommit(tx: Database, about: Admission): Promise<void> {
	return tx.queryBeforeCommit(admission, valuesOf(about));
}

/**
 * Lists the deliveries of a message that are not queued: those that ended when it was accepted. Call it
 * inside the tenant.
 */
export async function listEndedAtOnce(tx: Database, messageId: string): Promise<Changed[]> {
	const rows = await tx.query<{
		id: string;
		channel: Changed["channel"];
		status: Changed["status"];
		version: number;
		user_id: string | null;
		address_masked: string;
		template: string;
	}>(
		`select d.id, d.channel, d.status, d.version, d.user_id, d.address_masked, m.template
		   from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
		  where d.message_id = $1 and d.status <> 'queued'`,
		[messageId],
	);
	return rows.map(({ user_id, address_masked, ...row }) => ({
		...row,
		messageId,
		userId: user_id ?? undefined,
		addressMasked: address_masked,
		errorClass: undefined,
		errorCode: undefined,
		providerKind: undefined,
	}));
}

/**
 * Records that a message found a limit of its day reached. Returns the day if it is the first one for this
 * limit; undefined otherwise. Call it inside the tenant.
 */
export async function recordLimitReached(
	tx: Database,
	{ tenantId, sendAt, limit, now }: { tenantId: string; sendAt: Date; limit: DayLimit; now: Date },
): Promise<string | undefined> {
	const [row] = await tx.query<{ day: string | null }>("select record_limit_reached($1, $2, $3, $4) as day", [
		tenantId,
		limit,
		sendAt,
		now,
	]);
	return row?.day ?? undefined;
}
