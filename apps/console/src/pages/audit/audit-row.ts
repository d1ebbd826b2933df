import type { TenantAuditEntry } from "@lango/contracts";

/** A line of an audit log, of the sign-on service or of another, as the page shows it. */
export type AuditRow = {
	id: string;
	at: string;
	action: string;
	/** Who did it; null for nobody who was signed in. */
	actorId: string | null;
	actorName: string | null;
	/** Whether the sign-on service was asked by itself who they are: who has no name then does not belong to the tenant now. */
	isNamedBySignOn: boolean;
	/** Whom or what it is about, by name where it has one. */
	subject: string | null;
	before: unknown;
	after: unknown;
	ip: string | null;
	requestId: string | null;
};

/** A line of a domain service's `/audit`. */
export type ServiceAuditEntry = {
	id: string;
	at: string;
	action: string;
	actor_kind: string;
	actor_id: string;
	subject: string;
	detail: unknown;
	request_id: string | null;
	address: string | null;
};

/** A line of the sign-on service. A subject without a name is left out where it is a bare id. */
export function fromSignOn(entry: TenantAuditEntry): AuditRow {
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

/** A line of a domain service, with the names of people by their id. Its detail has `before` and `after`, or is what was made. */
export function fromService(entry: ServiceAuditEntry, names: ReadonlyMap<string, string>): AuditRow {
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

/** The ids a line of a domain service may hold of people: of who did it, and of whom it is about. */
export function peopleIn({ actor_kind, actor_id, subject }: ServiceAuditEntry): string[] {
	return [...(actor_kind === "user" ? [actor_id] : []), ...(uuid.test(subject) ? [subject] : [])];
}

/** The beginning of an id, by which people can tell two apart whom nobody can name. */
export const beginningOf = (id: string) => id.slice(0, 8);

export type Change = { key: string; before: string | undefined; after: string | undefined };

/** What the subject says already, and what only programs count. */
const unsaid: ReadonlySet<string> = new Set(["id", "version"]);

/** What differs between before and after, field by field; everything of one where the other is nothing. "branding.colour" is a field of one. */
export function listChanges(before: unknown, after: unknown): Change[] {
	const [had, has] = [flat(asRecord(before)), flat(asRecord(after))];
	const keys = [...new Set([...Object.keys(had), ...Object.keys(has)])].filter((key) => !unsaid.has(key));
	const changes = keys.map((key) => ({ key, before: say(had[key]), after: say(has[key]) }));
	return changes.filter((change) => change.before !== change.after);
}

/** With the fields of a field in its place. */
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
