import { tokenOutletsMax } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { requireNoOpenTransaction } from "@lango/tracing";
import { findUser, knowUser, type PersonClaims } from "./people/access.store.ts";
import { type CachedPerson, createPeopleCache, type PersonKey } from "./people/people-cache.ts";
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
	 * Returns the cached person synchronously, or undefined if there is none or the token contains something
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
	const loading = new Map<string, Promise<Person>>();

	const load = (tenantId: string, claims: PersonClaims): Promise<Person> =>
		cached.load({ tenantId, subject: claims.subject }, claims, () =>
			knowUser(db, { tenantId, claims, firstRole: firstRole(claims.globalRoles), now: now() }),
		);
	/** Later callers do not join loads that started before the change. */
	const invalidate = ({ tenantId, subject }: PersonKey) => {
		cached.invalidate({ tenantId, subject });
		for (const key of loading.keys()) if (key.startsWith(`${tenantId} ${subject} `)) loading.delete(key);
	};
	const peekUser = (tenantId: string, claims: PersonClaims): CachedPerson | undefined => {
		const found = cached.get({ tenantId, subject: claims.subject });
		const isEnough = found !== undefined && (found.claims === claims || isUnchanged(claims, found));
		return isEnough ? found : undefined;
	};
	const ensureUserFromToken = async (tenantId: string, claims: PersonClaims): Promise<Person> => {
		requireNoOpenTransaction("look up a person");
		const found = peekUser(tenantId, claims);
		if (found !== undefined) return found.person;
		const key = loadKey(tenantId, claims);
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
		return cached.get(key)?.person ?? cached.load(key, undefined, () => findUser(db, { ...key, now: now() }));
	};

	return {
		ensureUserFromToken,
		peekUser,
		isCurrent: cached.isCurrent,
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
			invalidate(assignment);
			return id;
		},
		async revokeRole(assignment, detail) {
			const isRevoked = await revoke({ db, now, service }, assignment, detail);
			invalidate(assignment);
			return isRevoked;
		},
		changed(message) {
			const [what, tenantId = "", subject = ""] = message.split(" ");
			if (what === "person") invalidate({ tenantId, subject });
			if (what !== "role" && what !== "outlets") return;
			cached.invalidateTenant(tenantId === "*" ? undefined : tenantId);
			loading.clear();
		},
		setSubscribed(isSubscribed) {
			cached.setSubscribed(isSubscribed);
			loading.clear();
		},
	};
}

const loadKey = (tenantId: string, { subject, issuedAt, status, globalRoles }: PersonClaims) =>
	[tenantId, subject, issuedAt.getTime(), status, ...globalRoles].join(" ");

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
