import { tokenOutletsMax } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { requireNoOpenTransaction } from "@lango/tracing";
import { findUser, knowUser, type PersonClaims } from "./access.store.ts";
import { type AssigningDetail, assign, type RoleAssignment, revoke } from "./assign-role.ts";
import { type HeldPerson, holdPeople, type PersonKey } from "./held-people.ts";
import { type Person, personHas, personMay } from "./person.ts";

/** The role module of a service (spec §2.4). People are named by tenant and by their id at the sign-on service. */
export type Access = {
	/** Makes the person known here, with a first role, and tells what they hold (spec §5.11). Never refuses. */
	ensureUserFromToken(tenantId: string, claims: PersonClaims): Promise<Person>;
	/** The person as they are in memory, without waiting; undefined when they are not, or the token tells something new of them. */
	peekUser(tenantId: string, claims: PersonClaims): HeldPerson | undefined;
	/** Whether `peekUser` would answer the same token with the same once more. */
	stands(found: HeldPerson): boolean;
	/** What a person holds whom this service has met, undefined when it has not; nothing is changed by it. */
	findPerson(tenantId: string, subject: string): Promise<Person | undefined>;
	/** Whether the person may do something; at an outlet also what is granted there alone. */
	hasPermission(question: {
		tenantId: string;
		subject: string;
		permission: string;
		outletId?: string;
	}): Promise<boolean>;
	/** Whether the person has a role; at an outlet also what is assigned there alone. */
	hasRole(question: RoleAssignment): Promise<boolean>;
	/** Assigns a role, in place of the first role; returns the assignment's id. Throws UnknownToAccess, AccessRefused. */
	assignRole(assignment: RoleAssignment, detail: AssigningDetail): Promise<string>;
	/** Takes an assigned role back; with the last one gone the first role holds again. Whether it was assigned. Throws UnknownToAccess, AccessRefused. */
	revokeRole(assignment: RoleAssignment, detail: AssigningDetail): Promise<boolean>;
	/** Told what the database told of changes (its channel `domain_changed`); who changed, or has a role that changed, is dropped from memory. */
	changed(message: string): void;
	/** Whether changes are heard of from now on: everybody is dropped from memory, and nobody kept while they are not. */
	hear(isHearing: boolean): void;
};

export type AccessOptions = {
	db: Database;
	now: () => Date;
	/** The service's name: the prefix of its permissions and events. */
	service: string;
	/** The role that global roles map to (spec §2.4). */
	firstRole: (globalRoles: readonly string[]) => string;
	/** People kept in memory, at most. */
	peopleMax?: number;
};

/** Makes the role module of one service: what a known person holds comes from memory, else by one statement. */
export function createAccess({ db, now, service, firstRole, peopleMax = 10_000 }: AccessOptions): Access {
	const held = holdPeople({ now, peopleMax });
	const loading = new Map<string, Promise<Person>>();

	const load = (tenantId: string, claims: PersonClaims): Promise<Person> =>
		held.learn({ tenantId, subject: claims.subject }, claims, () =>
			knowUser(db, { tenantId, claims, firstRole: firstRole(claims.globalRoles), now: now() }),
		);
	/** Who asks from now on does not wait for what was asked before. */
	const forget = ({ tenantId, subject }: PersonKey) => {
		held.forget({ tenantId, subject });
		for (const key of loading.keys()) if (key.startsWith(`${tenantId} ${subject} `)) loading.delete(key);
	};
	const peekUser = (tenantId: string, claims: PersonClaims): HeldPerson | undefined => {
		const found = held.get({ tenantId, subject: claims.subject });
		const isEnough = found !== undefined && (found.claims === claims || tellsNothingNew(claims, found));
		return isEnough ? found : undefined;
	};
	const ensureUserFromToken = async (tenantId: string, claims: PersonClaims): Promise<Person> => {
		requireNoOpenTransaction("look up a person");
		const found = peekUser(tenantId, claims);
		if (found !== undefined) return found.person;
		const key = toldKey(tenantId, claims);
		const under = loading.get(key);
		if (under !== undefined) return under;
		const begun = load(tenantId, claims).finally(() => {
			if (loading.get(key) === begun) loading.delete(key);
		});
		loading.set(key, begun);
		return begun;
	};
	const find = async (key: PersonKey): Promise<Person | undefined> => {
		requireNoOpenTransaction("look up a person");
		return held.get(key)?.person ?? held.learn(key, undefined, () => findUser(db, { ...key, now: now() }));
	};

	return {
		ensureUserFromToken,
		peekUser,
		stands: held.stands,
		findPerson: (tenantId, subject) => find({ tenantId, subject }),
		async hasPermission({ tenantId, subject, permission, outletId }) {
			const person = await find({ tenantId, subject });
			return person !== undefined && personMay(person, permission, outletId);
		},
		async hasRole({ tenantId, subject, role, outletId }) {
			const person = await find({ tenantId, subject });
			return person !== undefined && personHas(person, role, outletId);
		},
		async assignRole(assignment, detail) {
			const id = await assign({ db, now, service }, assignment, detail);
			forget(assignment);
			return id;
		},
		async revokeRole(assignment, detail) {
			const isRevoked = await revoke({ db, now, service }, assignment, detail);
			forget(assignment);
			return isRevoked;
		},
		changed(message) {
			const [what, tenantId = "", subject = ""] = message.split(" ");
			if (what === "person") forget({ tenantId, subject });
			if (what !== "role" && what !== "outlets") return;
			held.forgetTenant(tenantId === "*" ? undefined : tenantId);
			loading.clear();
		},
		hear(isHearing) {
			held.hear(isHearing);
			loading.clear();
		},
	};
}

const toldKey = (tenantId: string, { subject, issuedAt, status, globalRoles }: PersonClaims) =>
	[tenantId, subject, issuedAt.getTime(), status, ...globalRoles].join(" ");

/** A token that does not state a value leaves it empty, and changes nothing. */
const isKnown = (value: string, last: string) => value === "" || value === last;

/** A token older than the one that was looked up changes nothing, nor does one that says the same. */
function tellsNothingNew(
	claims: PersonClaims,
	{ person, claims: last }: { person: Person; claims: PersonClaims | undefined },
): boolean {
	if (tellsOfOutlets(claims, person)) return false;
	if (claims.issuedAt < person.issuedAt) return true;
	return (
		last !== undefined &&
		isKnown(claims.email, last.email) &&
		isKnown(claims.name, last.name) &&
		claims.status === last.status &&
		claims.isHq === last.isHq &&
		claims.globalRoles.length === last.globalRoles.length &&
		claims.globalRoles.every((role, index) => role === last.globalRoles[index])
	);
}

/** Whether a token names outlets of the person that are not known here, or no longer names some, and no newer list was seen. */
function tellsOfOutlets({ issuedAt, outletIds, outletId }: PersonClaims, { outlets }: Person): boolean {
	const { assigned, until } = outlets;
	if (until !== null && issuedAt < until) return false;
	if (outletId !== undefined) return !assigned.includes(outletId);
	if (outletIds === undefined || (outletIds.length === 0 && assigned.length > tokenOutletsMax)) return false;
	return outletIds.length !== assigned.length || outletIds.some((id, index) => id !== assigned[index]);
}
