import { type Database, inTenant } from "@lango/postgres";
import {
	findRoleId,
	findUser,
	knowUser,
	type PersonClaims,
	recordAssignment,
	removeAssignment,
} from "./access.store.ts";
import { type Actor, recordAudit } from "./audit.store.ts";
import { holdPeople, type PersonKey } from "./held-people.ts";
import { type Person, personHas, personMay } from "./person.ts";

/** Which role of which person, and where: in the whole tenant, or at one outlet. */
export type RoleAssignment = {
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	role: string;
	outletId?: string;
};

/** Who assigns, until when, and the request it came by. */
export type AssigningDetail = { by: Actor; expiresAt?: Date; requestId?: string };

/** The role module of a service (spec §2.4). People are named by tenant and by their id at the sign-on service. */
export type Access = {
	/** Makes the person known here, with a first role, and tells what they hold (spec §5.11). Never refuses. */
	ensureUserFromToken(tenantId: string, claims: PersonClaims): Promise<Person>;
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
	/** Assigns a role, in place of the first role; returns the assignment's id. Throws UnknownToAccess. */
	assignRole(assignment: RoleAssignment, detail: AssigningDetail): Promise<string>;
	/** Takes an assigned role back; with the last one gone the first role holds again. Whether it was assigned. Throws UnknownToAccess. */
	revokeRole(assignment: RoleAssignment, detail: AssigningDetail): Promise<boolean>;
	/** Told what the database told of changes (its channel `domain_changed`); a person who changed is dropped from memory. */
	changed(message: string): void;
	/** Whether changes are heard of from now on: everybody is dropped from memory, and nobody kept while they are not. */
	hear(isHearing: boolean): void;
};

/** A role or a person that this service does not know. */
export class UnknownToAccess extends Error {
	readonly what: "role" | "user";

	constructor(what: "role" | "user", name: string) {
		super(`there is no ${what} "${name}"`);
		this.name = "UnknownToAccess";
		this.what = what;
	}
}

export type AccessOptions = {
	db: Database;
	now: () => Date;
	/** The role that global roles map to (spec §2.4). */
	firstRole: (globalRoles: readonly string[]) => string;
	/** People kept in memory, at most. */
	peopleMax?: number;
};

/** Makes the role module of one service: what a known person holds comes from memory, else by one statement. */
export function createAccess({ db, now, firstRole, peopleMax = 10_000 }: AccessOptions): Access {
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
	const ensureUserFromToken = async (tenantId: string, claims: PersonClaims): Promise<Person> => {
		const found = held.get({ tenantId, subject: claims.subject });
		if (found !== undefined && (found.claims === claims || tellsNothingNew(claims, found)))
			return found.person;
		const key = [
			tenantId,
			claims.subject,
			claims.issuedAt.getTime(),
			claims.status,
			...claims.globalRoles,
		].join(" ");
		const under = loading.get(key);
		if (under !== undefined) return under;
		const begun = load(tenantId, claims).finally(() => {
			if (loading.get(key) === begun) loading.delete(key);
		});
		loading.set(key, begun);
		return begun;
	};
	const find = async (tenantId: string, subject: string): Promise<Person | undefined> => {
		const key = { tenantId, subject };
		const found = held.get(key);
		if (found !== undefined) return found.person;
		return held.learn(key, undefined, () => findUser(db, { ...key, now: now() }));
	};

	return {
		ensureUserFromToken,
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
			const id = await assign({ db, now }, assignment, detail);
			forget(assignment);
			return id;
		},
		async revokeRole(assignment, detail) {
			const isRevoked = await revoke({ db, now }, assignment, detail);
			forget(assignment);
			return isRevoked;
		},
		changed(message) {
			const [what, tenantId, subject] = message.split(" ");
			if (what === "person" && tenantId !== undefined && subject !== undefined) forget({ tenantId, subject });
		},
		hear(isHearing) {
			held.hear(isHearing);
			loading.clear();
		},
	};
}

/** A token older than the one that was looked up changes nothing, nor does one that says the same. */
function tellsNothingNew(
	claims: PersonClaims,
	{ person, claims: last }: { person: Person; claims: PersonClaims | undefined },
): boolean {
	if (claims.issuedAt < person.issuedAt) return true;
	return (
		last !== undefined &&
		claims.email === last.email &&
		claims.name === last.name &&
		claims.status === last.status &&
		claims.globalRoles.length === last.globalRoles.length &&
		claims.globalRoles.every((role, index) => role === last.globalRoles[index])
	);
}

type Dependencies = { db: Database; now: () => Date };

async function assign(
	{ db, now }: Dependencies,
	assignment: RoleAssignment,
	detail: AssigningDetail,
): Promise<string> {
	const { tenantId, subject, role, outletId = null } = assignment;
	const { by, expiresAt = null, requestId } = detail;
	return inTenant(db, tenantId, async (tx) => {
		const { userId, roleId } = await locate(tx, assignment, now());
		const id = await recordAssignment(tx, {
			tenantId,
			userId,
			roleId,
			outletId,
			assignedBy: by.id,
			expiresAt,
			now: now(),
		});
		const entry = {
			tenantId,
			at: now(),
			actor: by,
			action: "role.assigned",
			subject,
			detail: { role, outletId, expiresAt },
		};
		await recordAudit(tx, { ...entry, ...(requestId !== undefined && { requestId }) });
		return id;
	});
}

async function revoke(
	{ db, now }: Dependencies,
	assignment: RoleAssignment,
	{ by, requestId }: AssigningDetail,
): Promise<boolean> {
	const { tenantId, subject, role, outletId = null } = assignment;
	return inTenant(db, tenantId, async (tx) => {
		const { userId, roleId } = await locate(tx, assignment, now());
		if (!(await removeAssignment(tx, { userId, roleId, outletId }))) return false;
		const entry = {
			tenantId,
			at: now(),
			actor: by,
			action: "role.revoked",
			subject,
			detail: { role, outletId },
		};
		await recordAudit(tx, { ...entry, ...(requestId !== undefined && { requestId }) });
		return true;
	});
}

async function locate(
	tx: Database,
	{ tenantId, subject, role }: RoleAssignment,
	now: Date,
): Promise<{ userId: string; roleId: string }> {
	const [user, roleId] = [await findUser(tx, { tenantId, subject, now }), await findRoleId(tx, role)];
	if (user === undefined) throw new UnknownToAccess("user", subject);
	if (roleId === undefined) throw new UnknownToAccess("role", role);
	return { userId: user.userId, roleId };
}
