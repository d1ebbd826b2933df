import { tokenOutletsMax } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { requireNoOpenTransaction } from "@lango/tracing";
import { findUser, knowUser, type PersonClaims } from "./people/access.store.ts";
import { type CachedPerson, createPeopleCache, personKey } from "./people/people-cache.ts";
import { type Person, personHas, personMay } from "./people/person.ts";
import { type AssigningDetail, assign, type RoleAssignment, revoke } from "./roles/assign-role.ts";

/**
 * The role module of a service (spec §2.4). A person is identified by the tenant and their id at the sign-on
 * service.
 */
export type Access = {
	/**
	 * Creates or updates the local user with a first role, and returns the person with their permissions (spec
	 * §5.11). Never refuses.
	 */
	ensureUserFromToken(tenantId: string, claims: PersonClaims): Promise<Person>;
	/**
	 * Returns the cached person synchronously, or undefined if not cached or if the token contains something
	 * new.
	 */
	peekUser(tenantId: string, claims: PersonClaims): CachedPerson | undefined;
	/** Whether `peekUser` would still return this entry for the same token. */
	isCurrent(found: CachedPerson): boolean;
	/** Returns a person known to this service, or undefined. Changes nothing. */
	findPerson(tenantId: string, subject: string): Promise<Person | undefined>;
	/** Whether the person has a permission; with an outlet, also by roles at this outlet. */
	hasPermission(question: {
		tenantId: string;
		subject: string;
		permission: string;
		outletId?: string;
	}): Promise<boolean>;
	/** Whether the person has a role; with an outlet, also at this outlet. */
	hasRole(question: RoleAssignment): Promise<boolean>;
	/**
	 * Assigns a role, which replaces the first role, and returns the assignment's id. Throws UnknownToAccess,
	 * AccessRefused.
	 */
	assignRole(assignment: RoleAssignment, detail: AssigningDetail): Promise<string>;
	/**
	 * Revokes an assigned role; after the last one the first role applies again. Returns whether it was
	 * assigned. Throws UnknownToAccess, AccessRefused.
	 */
	revokeRole(assignment: RoleAssignment, detail: AssigningDetail): Promise<boolean>;
	/**
	 * Handles a notification of the channel `domain_changed`: invalidates the changed person, or all whose role
	 * changed.
	 */
	changed(message: string): void;
	/**
	 * Sets whether the process receives notifications of changes. Clears the cache; without notifications
	 * nothing is cached.
	 */
	setSubscribed(isSubscribed: boolean): void;
};

export type AccessOptions = {
	db: Database;
	now: () => Date;
	/** The service's name, which is the prefix of its permissions and events. */
	service: string;
	/** Maps global roles to the first role (spec §2.4). */
	firstRole: (globalRoles: readonly string[]) => string;
	/** The maximum number of cached people. Default: 10,000. */
	peopleMax?: number;
};

/**
 * Creates the role module of a service. Permissions of a known person come from the cache, else from one
 * statement.
 */
export function createAccess({ db, now, service, firstRole, peopleMax = 10_000 }: AccessOptions): Access {
	const cached = createPeopleCache({ now, peopleMax });

	const know = async (tenantId: string, claims: PersonClaims) => {
		const given = { tenantId, claims, firstRole: firstRole(claims.globalRoles), now: now() };
		return { person: await knowUser(db, given), claims };
	};
	const peekUser = (tenantId: string, claims: PersonClaims): CachedPerson | undefined => {
		const found = cached.get(personKey(tenantId, claims.subject));
		if (found === undefined) return undefined;
		return found.value.claims === claims || isUnchanged(claims, found.value) ? found : undefined;
	};
	const ensureUserFromToken = async (tenantId: string, claims: PersonClaims): Promise<Person> => {
		requireNoOpenTransaction("look up a person");
		const found = peekUser(tenantId, claims);
		if (found !== undefined) return found.value.person;
		const key = personKey(tenantId, claims.subject);
		return (await cached.refresh(key, () => know(tenantId, claims), variantOf(claims))).person;
	};
	const find = async (tenantId: string, subject: string): Promise<Person | undefined> => {
		const known = await cached.load(personKey(tenantId, subject), async () => {
			const person = await findUser(db, { tenantId, subject, now: now() });
			return person && { person, claims: undefined };
		});
		return known?.person;
	};

	return {
		ensureUserFromToken,
		peekUser,
		isCurrent: cached.isCurrent,
		findPerson: find,
		async hasPermission({ tenantId, subject, permission, outletId }) {
			const person = await find(tenantId, subject);
			return person !== undefined && personMay(person, permission, outletId);
		},
		async hasRole({ tenantId, subject, role, outletId }) {
			const person = await find(tenantId, subject);
			return person !== undefined && personHas(person, role, outletId);
		},
		async assignRole(assignment, detail) {
			const id = await assign({ db, now, service }, assignment, detail);
			cached.invalidate(personKey(assignment.tenantId, assignment.subject));
			return id;
		},
		async revokeRole(assignment, detail) {
			const isRevoked = await revoke({ db, now, service }, assignment, detail);
			cached.invalidate(personKey(assignment.tenantId, assignment.subject));
			return isRevoked;
		},
		changed(message) {
			const [what, tenantId = "", subject = ""] = message.split(" ");
			if (what === "person") cached.invalidate(personKey(tenantId, subject));
			if (what === "role" || what === "outlets")
				cached.invalidateWhere((key) => tenantId === "*" || key.startsWith(personKey(tenantId, "")));
		},
		setSubscribed: cached.setListening,
	};
}

/** Callers with tokens of the same state share a look-up. */
const variantOf = ({ issuedAt, status, globalRoles }: PersonClaims) =>
	[issuedAt.getTime(), status, ...globalRoles].join(" ");

/** Whether a value of a token is unchanged. An empty one means that the token does not state it. */
const isKnown = (value: string, last: string) => value === "" || value === last;

/** Whether a token is older than the last one, or states the same. */
function isUnchanged(
	claims: PersonClaims,
	{ person, claims: last }: { person: Person; claims: PersonClaims | undefined },
): boolean {
	if (hasNewOutlets(claims, person)) return false;
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

/** Whether a token's list of outlets differs from the stored one and is newer. */
function hasNewOutlets({ issuedAt, outletIds, outletId }: PersonClaims, { outlets }: Person): boolean {
	const { assigned, until } = outlets;
	if (until !== null && issuedAt < until) return false;
	if (outletId !== undefined) return !assigned.includes(outletId);
	if (outletIds === undefined || (outletIds.length === 0 && assigned.length > tokenOutletsMax)) return false;
	return outletIds.length !== assigned.length || outletIds.some((id, index) => id !== assigned[index]);
}
