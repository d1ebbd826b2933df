import { eventMigrations } from "@lango/events";
import { acrossTenants, type Database, inTenant, listUnguardedTables } from "@lango/postgres";
import { tenancyMigrations } from "@lango/tenancy";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, beforeEach, expect, test } from "vitest";
import {
	type Access,
	accessMigrations,
	createAccess,
	listAudit,
	type PersonClaims,
	permissionsOfModules,
	permissionsOfPerson,
	recordApiKey,
	recordAudit,
	roleOf,
	seedAccess,
	UnknownToAccess,
} from "../src/index.ts";
import { findApiKey } from "../src/keys/api-key.store.ts";

const sets = [eventMigrations, tenancyMigrations, accessMigrations];
const tenantId = crypto.randomUUID();
const otherId = crypto.randomUUID();
const boss = { by: { kind: "user", id: crypto.randomUUID() } } as const;
const permissions = permissionsOfModules("shop", { orders: ["view", "manage"] });
const roles = {
	shop_admin: ["shop.orders.view", "shop.orders.manage"],
	shop_viewer: ["shop.orders.view"],
	shop_guest: [],
};
const database = setUp(
	() => createTestDatabase({ name: "access", sets }),
	({ drop }) => drop(),
);
let access: Access;
let clock: Date;
let queries: number;

const begin = () => {
	const counted = {
		...database.db,
		query: ((text, values) => {
			queries += 1;
			return database.db.query(text, values);
		}) as typeof database.db.query,
	};
	return createAccess({
		db: counted,
		now: () => clock,
		service: "shop",
		firstRole: (from) => (from.includes("admin") ? "shop_admin" : "shop_viewer"),
	});
};
const person = (more: Partial<PersonClaims> = {}): PersonClaims => ({
	subject: crypto.randomUUID(),
	email: "asha@shop.example",
	name: "Asha",
	status: "active",
	globalRoles: ["staff"],
	issuedAt: clock,
	isHq: false,
	...more,
});
const later = (seconds: number) => {
	clock = new Date(clock.getTime() + seconds * 1_000);
};

beforeAll(async () => {
	for (const id of [tenantId, otherId])
		await database.db.query(
			"insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at) values ($1, $2, 'x', 'active', 'UTC', 'KES', 'en', now())",
			[id, id],
		);
	await seedAccess(database.db, { permissions, roles });
});
beforeEach(() => {
	clock = new Date();
	queries = 0;
	access = begin();
});

test("an unknown person is created with the role that their global roles map to, and found again in the cache", async () => {
	const claims = person({ globalRoles: ["admin"] });
	const made = await access.ensureUserFromToken(tenantId, claims);
	expect(roleOf(made)).toBe("shop_admin");
	expect(permissionsOfPerson(made)).toEqual(["shop.orders.manage", "shop.orders.view"]);
	expect(queries).toBe(1);
	await access.ensureUserFromToken(tenantId, { ...claims });
	expect(queries).toBe(1);
	await begin().ensureUserFromToken(tenantId, claims);
	expect(queries).toBe(2);
	const rows = await inTenant(database.db, tenantId, (tx) =>
		tx.query(
			`select u.email, u.name, u.sync_status, a.assigned_by, r.role_code from users u
			   join user_role_assignments a on a.user_id = u.id join system_roles r on r.id = a.system_role_id where u.auth_service_user_id = $1`,
			[claims.subject],
		),
	);
	expect(rows).toEqual([
		{
			email: "asha@shop.example",
			name: "Asha",
			sync_status: "jit",
			assigned_by: null,
			role_code: "shop_admin",
		},
	]);
});

test("a token without e-mail and name does not clear them, and one with them sets them", async () => {
	const known = person();
	const bare = { email: "", name: "" };
	const stored = async (subject: string) => {
		const [row] = await inTenant(database.db, tenantId, (tx) =>
			tx.query("select email, name from users where auth_service_user_id = $1", [subject]),
		);
		return row;
	};
	await access.ensureUserFromToken(tenantId, known);
	later(1);
	await begin().ensureUserFromToken(tenantId, { ...known, ...bare, globalRoles: ["admin"], issuedAt: clock });
	expect(await stored(known.subject)).toEqual({ email: known.email, name: known.name });
	const unknown = person(bare);
	await access.ensureUserFromToken(tenantId, unknown);
	expect(await stored(unknown.subject)).toEqual(bare);
	later(1);
	const full = { email: "neema@shop.example", name: "Neema" };
	await access.ensureUserFromToken(tenantId, { ...unknown, ...full, issuedAt: clock });
	expect(await stored(unknown.subject)).toEqual(full);
});

test("twenty concurrent first requests on four replicas create one user with one role", async () => {
	const claims = person();
	const replicas = [begin(), begin(), begin(), begin()];
	const met = await Promise.all(
		Array.from({ length: 20 }, (_, index) =>
			replicas[index % 4]?.ensureUserFromToken(tenantId, { ...claims, name: `Asha ${index}` }),
		),
	);
	expect(new Set(met.map((one) => one?.userId)).size).toBe(1);
	const [count] = await inTenant(database.db, tenantId, (tx) =>
		tx.query<{ people: number; assigned: number }>(
			`select count(distinct u.id)::int as people, count(a.id)::int as assigned
			   from users u left join user_role_assignments a on a.user_id = u.id where u.auth_service_user_id = $1`,
			[claims.subject],
		),
	);
	expect(count).toEqual({ people: 1, assigned: 1 });
});

test("one person in two tenants is two users with separate roles", async () => {
	const claims = person();
	const [here, there] = [
		await access.ensureUserFromToken(tenantId, claims),
		await access.ensureUserFromToken(otherId, { ...claims, globalRoles: ["admin"] }),
	];
	expect(here.userId).not.toBe(there.userId);
	expect([roleOf(here), roleOf(there)]).toEqual(["shop_viewer", "shop_admin"]);
});

test("the first role follows the global roles of the newest token; an older token changes nothing", async () => {
	const claims = person({ globalRoles: ["admin"] });
	await access.ensureUserFromToken(tenantId, claims);
	const demoted = { ...claims, globalRoles: ["member"], issuedAt: new Date(clock.getTime() + 5_000) };
	expect(roleOf(await access.ensureUserFromToken(tenantId, demoted))).toBe("shop_viewer");
	expect(roleOf(await access.ensureUserFromToken(tenantId, claims))).toBe("shop_viewer");
	expect(roleOf(await begin().ensureUserFromToken(tenantId, claims))).toBe("shop_viewer");
});

test("an assigned role replaces the first role, and its revocation restores it", async () => {
	const claims = person();
	await access.ensureUserFromToken(tenantId, claims);
	const assignment = { tenantId, subject: claims.subject, role: "shop_admin" };
	await access.assignRole(assignment, boss);
	expect(roleOf(await access.ensureUserFromToken(tenantId, claims))).toBe("shop_admin");
	expect(await access.hasRole({ ...assignment, role: "shop_viewer" })).toBe(false);
	expect(await access.revokeRole(assignment, boss)).toBe(true);
	expect(await access.revokeRole(assignment, boss)).toBe(false);
	expect(roleOf(await access.ensureUserFromToken(tenantId, claims))).toBe("shop_viewer");
	const log = await inTenant(database.db, tenantId, (tx) =>
		tx.query("select action, actor_id from audit_log where subject = $1 order by id", [claims.subject]),
	);
	expect(log).toEqual([
		{ action: "role.assigned", actor_id: boss.by.id },
		{ action: "role.revoked", actor_id: boss.by.id },
	]);
});

test("an assignment ends at its time, also in the cache", async () => {
	const claims = person();
	await access.ensureUserFromToken(tenantId, claims);
	const expiresAt = new Date(clock.getTime() + 10_000);
	await access.assignRole({ tenantId, subject: claims.subject, role: "shop_admin" }, { ...boss, expiresAt });
	const question = { tenantId, subject: claims.subject, permission: "shop.orders.manage" };
	expect(await access.hasPermission(question)).toBe(true);
	later(11);
	expect(await access.hasPermission(question)).toBe(false);
	expect(roleOf(await access.ensureUserFromToken(tenantId, claims))).toBe("shop_viewer");
});

test("a role at one outlet applies at that outlet only and does not replace the first role", async () => {
	const claims = person();
	const outletId = crypto.randomUUID();
	await inTenant(database.db, tenantId, (tx) =>
		tx.query(
			`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
			 values ($1, $2, 'A', 'A', 'retail', false, 'active', '{}', now())`,
			[outletId, tenantId],
		),
	);
	await access.ensureUserFromToken(tenantId, claims);
	await access.assignRole({ tenantId, subject: claims.subject, role: "shop_admin", outletId }, boss);
	const question = { tenantId, subject: claims.subject, permission: "shop.orders.manage" };
	expect(await access.hasPermission({ ...question, outletId })).toBe(true);
	expect(await access.hasPermission({ ...question, outletId: crypto.randomUUID() })).toBe(false);
	expect(await access.hasPermission(question)).toBe(false);
	expect(roleOf(await access.ensureUserFromToken(tenantId, claims))).toBe("shop_viewer");
});

test("a pending person has no role and gets the first one when approved", async () => {
	const waiting = person({ status: "pending" });
	expect((await access.ensureUserFromToken(tenantId, waiting)).grants).toEqual([]);
	const approved = { ...waiting, status: "active", issuedAt: new Date(clock.getTime() + 1_000) };
	expect(roleOf(await access.ensureUserFromToken(tenantId, approved))).toBe("shop_viewer");
	const suspended = { ...waiting, status: "suspended", issuedAt: new Date(clock.getTime() + 2_000) };
	expect((await access.ensureUserFromToken(tenantId, suspended)).grants).toEqual([]);
});

test("unknown roles and people are refused", async () => {
	const claims = person();
	await access.ensureUserFromToken(tenantId, claims);
	await expect(
		access.assignRole({ tenantId, subject: claims.subject, role: "king" }, boss),
	).rejects.toBeInstanceOf(UnknownToAccess);
	await expect(
		access.assignRole({ tenantId, subject: crypto.randomUUID(), role: "shop_admin" }, boss),
	).rejects.toMatchObject({ what: "user" });
	await expect(
		access.assignRole({ tenantId: otherId, subject: claims.subject, role: "shop_admin" }, boss),
	).rejects.toMatchObject({
		what: "user",
	});
	expect(
		await access.hasPermission({
			tenantId: otherId,
			subject: claims.subject,
			permission: "shop.orders.view",
		}),
	).toBe(false);
});

test("seeding is idempotent, and a new declaration changes the permissions of roles", async () => {
	const count = "select count(*)::int as rows from system_role_permissions";
	await seedAccess(database.db, { permissions, roles });
	expect(await database.db.query(count)).toEqual([{ rows: 3 }]);
	await seedAccess(database.db, { permissions, roles: { ...roles, shop_admin: ["shop.orders.manage"] } });
	expect(await database.db.query(count)).toEqual([{ rows: 2 }]);
	await seedAccess(database.db, { permissions, roles });
	expect(await database.db.query(count)).toEqual([{ rows: 3 }]);
});

test("a service can write system roles only by its declaration, and cannot access another tenant's rows", async () => {
	const claims = person();
	await access.ensureUserFromToken(tenantId, claims);
	await expect(database.db.query("insert into system_roles (role_code) values ('rogue')")).rejects.toThrow(
		/permission denied/,
	);
	await expect(database.db.query("delete from system_role_permissions")).rejects.toThrow(/permission denied/);
	expect(await database.db.query("update roles set role_code = 'rogue' returning id")).toEqual([]);
	expect(await database.db.query("delete from role_permissions returning role_id")).toEqual([]);
	expect(await database.db.query("select id from users")).toEqual([]);
	const sought = "select id from users where auth_service_user_id = $1";
	expect(await inTenant(database.db, otherId, (tx) => tx.query(sought, [claims.subject]))).toEqual([]);
	const smuggle = `insert into audit_log (tenant_id, occurred_at, actor_kind, actor_id, action, subject, detail)
		values ($1, now(), 'system', 'x', 'x', 'x', '{}')`;
	await expect(inTenant(database.db, otherId, (tx) => tx.query(smuggle, [tenantId]))).rejects.toThrow(
		/row-level security/,
	);
	const ofPlatform = `insert into platform_audit_log (occurred_at, actor_kind, actor_id, action, subject, detail)
		values (now(), 'system', 'x', 'x', 'x', '{}')`;
	await expect(inTenant(database.db, otherId, (tx) => tx.query(ofPlatform))).rejects.toThrow(
		/row-level security/,
	);
});

test("the audit log accepts entries of tenants and of the platform, which cannot be changed", async () => {
	const entry = {
		at: clock,
		actor: { kind: "system", id: "test" },
		action: "tested",
		subject: "log",
		detail: {},
	} as const;
	await recordAudit(database.db, { ...entry, tenantId });
	await recordAudit(database.db, { ...entry, tenantId: undefined });
	for (const table of ["audit_log", "platform_audit_log"]) {
		expect(await database.db.query(`select id from ${table} where action = 'tested'`)).toEqual([]);
		await expect(database.db.query(`delete from ${table}`)).rejects.toThrow(/permission denied/);
		await expect(database.db.query(`update ${table} set action = 'x'`)).rejects.toThrow(/permission denied/);
	}
	const page = { from: undefined, to: undefined, actorId: undefined, action: "tested", about: undefined };
	const tenantsOf = (entries: readonly { tenantId: string | null }[]) =>
		entries.map((entry) => entry.tenantId);
	const list = (of: string | undefined) => (tx: Database) =>
		listAudit(tx, { ...page, tenantId: of, after: undefined, limit: 10 });
	expect(tenantsOf(await inTenant(database.db, tenantId, list(tenantId)))).toEqual([tenantId]);
	expect(tenantsOf(await inTenant(database.db, tenantId, list(undefined)))).toEqual([tenantId]);
	expect(tenantsOf(await acrossTenants(database.db, list(undefined)))).toEqual([null, tenantId]);
});

test("a key is found by its id while it is active", async () => {
	const key = {
		id: "abcdefgh12345678",
		secretHash: Buffer.alloc(32, 7),
		tenantId,
		name: "till",
		permissions: ["shop.orders.view"],
	};
	const expiresAt = new Date(clock.getTime() + 1_000);
	await recordApiKey(database.db, { ...key, expiresAt, now: clock });
	expect(await findApiKey(database.db, { id: key.id, now: clock, platformSlug: "lango" })).toEqual({
		secretHash: key.secretHash,
		tenantId,
		permissions: key.permissions,
		expiresAt,
	});
	expect(
		await findApiKey(database.db, { id: key.id, now: expiresAt, platformSlug: "lango" }),
	).toBeUndefined();
	await inTenant(database.db, tenantId, (tx) =>
		tx.query("update api_keys set revoked_at = now() where id = $1", [key.id]),
	);
	expect(await findApiKey(database.db, { id: key.id, now: clock, platformSlug: "lango" })).toBeUndefined();
	expect(await database.db.query("select id from api_keys")).toEqual([]);
});

test("a tenant's id can be repointed with all its rows", async () => {
	const [oldId, newId] = [crypto.randomUUID(), crypto.randomUUID()];
	await database.db.query(
		"insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at) values ($1, 'repointed', 'x', 'active', 'UTC', 'KES', 'en', now())",
		[oldId],
	);
	const claims = person();
	await access.ensureUserFromToken(oldId, claims);
	await access.assignRole({ tenantId: oldId, subject: claims.subject, role: "shop_admin" }, boss);
	await database.db.query("update tenants set id = $2 where id = $1", [oldId, newId]);
	expect(roleOf(await begin().ensureUserFromToken(newId, claims))).toBe("shop_admin");
});

test("every table with a tenant has its policy", async () => {
	expect(await listUnguardedTables(database.db)).toEqual([]);
});
