import type { ServiceAuditEntry, TenantAuditEntry } from "@lango/contracts";
import type { Entry } from "./sources.ts";
import type { FoldedEntry, Visit } from "./visits.ts";

/** An entry of an audit log, of the sign-on service or a domain service, as the page shows it. */
export type AuditRow = {
	id: string;
	/** The service. */
	source: string;
	at: string;
	action: string;
	/** The actor's id; null if no user was signed in. */
	actorId: string | null;
	actorName: string | null;
	/** Whether the sign-on service named the actor. An actor without a name is then not a member now. */
	isNamedBySignOn: boolean;
	/** The subject, by name if it has one. */
	subject: string | null;
	before: unknown;
	after: unknown;
	ip: string | null;
	requestId: string | null;
	visit?: Visit;
};

/** Converts an entry, with the names of users by id. A visit is about the organisation, not about a route. */
export function toRow(folded: FoldedEntry, names: ReadonlyMap<string, string>): AuditRow {
	const { source, visit } = folded;
	const row = folded.kind === "tenant" ? fromSignOn(folded.entry) : fromService(folded.entry, names);
	return { ...row, source, id: `${source} ${row.id}`, ...(visit && { visit, subject: null }) };
}

type RowOfService = Omit<AuditRow, "source">;

/** Converts an entry of the sign-on service. A subject that is a bare id without a name is omitted. */
function fromSignOn(entry: TenantAuditEntry): RowOfService {
	const { id, at, action, before, after, ip } = entry;
	return {
		id,
		at,
		action,
		before,
		after,
		ip,
		actorId: entry.actor_user_id,
		actorName: entry.actor_name,
		isNamedBySignOn: true,
		subject: entry.subject_name ?? readable(entry.subject),
		requestId: entry.request_id,
	};
}

/**
 * Converts an entry of a domain service, with the names of users by id. Its detail has `before` and
 * `after`, or is the created entity.
 */
function fromService(entry: ServiceAuditEntry, names: ReadonlyMap<string, string>): RowOfService {
	const { id, at, action, detail, subject } = entry;
	const { before = null, after = null } = asRecord(detail);
	const isChange = before !== null || after !== null;
	const isPerson = entry.actor_kind === "user";
	return {
		id,
		at,
		action,
		before,
		after: isChange ? after : detail,
		actorId: entry.actor_kind === "system" ? null : entry.actor_id,
		actorName: isPerson ? (names.get(entry.actor_id) ?? null) : entry.actor_id,
		isNamedBySignOn: false,
		subject: names.get(subject) ?? readable(subject),
		ip: entry.address,
		requestId: entry.request_id,
	};
}

/** The ids of users in an entry that its service does not name: the actor and the subject. */
export function peopleIn(entry: Entry): string[] {
	if (entry.kind === "tenant") return [];
	const { actor_kind, actor_id, subject } = entry.entry;
	return [...(actor_kind === "user" ? [actor_id] : []), ...(uuid.test(subject) ? [subject] : [])];
}

/** The first characters of an id, to distinguish users without a name. */
export const beginningOf = (id: string) => id.slice(0, 8);

export type Change = { key: string; before: string | undefined; after: string | undefined };

/** Fields that are not shown: the subject has the id already, and versions are internal. */
const unsaid: ReadonlySet<string> = new Set(["id", "version"]);

/**
 * The differences between before and after, field by field. If one side is empty, all fields of the other.
 * Nested fields are joined by a dot: "branding.colour".
 */
export function listChanges(before: unknown, after: unknown): Change[] {
	const [had, has] = [flat(asRecord(before)), flat(asRecord(after))];
	const keys = [...new Set([...Object.keys(had), ...Object.keys(has)])].filter((key) => !unsaid.has(key));
	const changes = keys.map((key) => ({ key, before: say(had[key]), after: say(has[key]) }));
	return changes.filter((change) => change.before !== change.after);
}

/** Replaces a nested object by its fields. */
function flat(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	return Object.fromEntries(
		Object.entries(record).flatMap(([key, value]) => {
			const inner = Object.entries(asRecord(value));
			return inner.length === 0 ? [[key, value]] : inner.map(([name, one]) => [`${key}.${name}`, one]);
		}),
	);
}

function say(value: unknown): string | undefined {
	if (value === undefined || value === null || value === "") return undefined;
	if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(say).join(", ");
	if (typeof value !== "object") return String(value);
	return Object.keys(value).length === 0 ? undefined : JSON.stringify(value);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const readable = (subject: string | null) => (subject === null || uuid.test(subject) ? null : subject);
