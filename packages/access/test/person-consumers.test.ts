import { randomUUID } from "node:crypto";
import { authUserDeleted, authUserDisabled, authUserUpdated, type EventType } from "@lango/contracts";
import { eventMigrations } from "@lango/events";
import { inTenant, listen } from "@lango/postgres";
import { tenancyMigrations } from "@lango/tenancy";
import { createTestDatabase, type TestDatabase, testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
	type Access,
	accessConsumers,
	accessMigrations,
	createAccess,
	type PersonClaims,
	permissionsOfModules,
	recordAudit,
	roleOf,
	seedAccess,
} from "../src/index.ts";

const tenantId = randomUUID();
const otherId = randomUUID();
const boss = { by: { kind: "user", id: randomUUID() } } as const;
const firstRole = (from: readonly string[]) => (from.includes("admin") ? "shop_admin" : "shop_viewer");
const database = setUp(
	() =>
		createTestDatabase({
			name: "access",
			sets: [eventMigrations, tenancyMigrations, accessMigrations],
		}),
	({ drop }) => drop(),
);
let clock: Date;
let access: Access;

const begin = (db = database.db) => createAccess({ db, now: () => clock, service: "shop", firstRole });
const consumers = accessConsumers({ now: () => clock, firstRole });
const seconds = (count: number) => new Date(clock.getTime() + count * 1_000);
const person = (more: Partial<PersonClaims> = {}): PersonClaims => ({
	subject: randomUUID(),
	email: "asha@shop.example",
	name: "Asha",
	status: "active",
	globalRoles: ["admin"],
	issuedAt: clock,
	isHq: false,
	...more,
});

type Happened = { tenantid?: string | undefined; at?: Date; data: unknown };

/** Applies one event, as a service's consumers would. */
async function publish(
	eventType: EventType,
	subject: string,
	{ tenantid, at = clock, data }: Happened,
): Promise<void> {
	const tenant = tenantid !== undefined && { tenant: { id: tenantid } };
	const envelope = testEvent(eventType, { subject, data, at, ...tenant });
	const consumer = consumers.find((one) => one.eventType.type === eventType.type);
	if (consumer === undefined) throw new Error(`no consumer of ${eventType.type}`);
	await database.db.transaction((tx) => consumer.apply(tx, envelope));
}

type PersonState = {
	version: number;
	roles?: string[];
	status?: string;
	email?: string;
	name?: string;
	at?: Date;
	tenantid?: string | undefined;
};

const updated = ({ subject, email, name }: PersonClaims, state: PersonState) => {
	const { at, tenantid = tenantId, version, roles = ["admin"], status = "active", ...rest } = state;
	const data = { user_id: subject, email, name, roles, status, version, ...rest };
	return publish(authUserUpdated, subject, {
		tenantid,
		...(at !== undefined && { at }),
		data: { ...data, email_verified: true, is_hq: false, outlet_ids: [] },
	});
};
const disabled = ({ subject }: PersonClaims, version: number, at = clock) =>
	publish(authUserDisabled, subject, { at, data: { user_id: subject, version } });
const deleted = ({ subject }: PersonClaims, version: number) =>
	publish(authUserDeleted, subject, { data: { user_id: subject, version } });
const rowsIn = (id: string, { subject }: PersonClaims) =>
	inTenant(database.db, id, (tx) =>
		tx.query("select * from users where auth_service_user_id = $1", [subject]),
	);

beforeAll(async () => {
	for (const id of [tenantId, otherId])
		await database.db.query(
			"insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at) values ($1, $2, 'x', 'active', 'UTC', 'KES', 'en', now())",
			[id, id],
		);
	const permissions = permissionsOfModules("shop", { orders: ["view", "manage"] });
	await seedAccess(database.db, {
		permissions,
		roles: { shop_admin: ["shop.orders.view", "shop.orders.manage"], shop_viewer: ["shop.orders.view"] },
	});
});
beforeEach(() => {
	clock = new Date();
	access = begin();
});

describe("a person from an event", () => {
	test("has its name, address and the resulting first role", async () => {
		const asha = person();
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 2, roles: ["member"], name: "Asha W.", email: "asha.w@shop.example" });
		expect(await rowsIn(tenantId, asha)).toMatchObject([
			{ name: "Asha W.", email: "asha.w@shop.example", global_roles: ["member"], sync_status: "synced" },
		]);
		expect(roleOf(await begin().ensureUserFromToken(tenantId, asha))).toBe("shop_viewer");
	});

	test("keeps an assigned role", async () => {
		const asha = person({ globalRoles: ["member"] });
		await access.ensureUserFromToken(tenantId, asha);
		await access.assignRole({ tenantId, subject: asha.subject, role: "shop_admin" }, boss);
		await updated(asha, { version: 2, roles: ["staff"] });
		expect(roleOf(await begin().ensureUserFromToken(tenantId, asha))).toBe("shop_admin");
	});

	test("is not changed by an older token, or one signed during the change", async () => {
		const asha = person({ issuedAt: seconds(-60) });
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 2, roles: ["member"] });
		for (const issuedAt of [seconds(-60), seconds(-1), seconds(1)])
			expect(roleOf(await begin().ensureUserFromToken(tenantId, { ...asha, issuedAt }))).toBe("shop_viewer");
		const later = { ...asha, issuedAt: seconds(31) };
		expect(roleOf(await begin().ensureUserFromToken(tenantId, later))).toBe("shop_admin");
	});

	test("keeps the state of a newer token if the event is late", async () => {
		const asha = person({ globalRoles: ["member"], issuedAt: seconds(3_600) });
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 2, roles: ["admin"] });
		await disabled(asha, 3);
		expect(roleOf(await begin().ensureUserFromToken(tenantId, asha))).toBe("shop_viewer");
	});

	test("has the state of the highest version, in any order of events", async () => {
		const asha = person();
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 5, roles: ["member"] });
		await updated(asha, { version: 4, roles: ["admin"], at: seconds(1) });
		expect(roleOf(await begin().ensureUserFromToken(tenantId, asha))).toBe("shop_viewer");
	});

	test.each(["removed", "suspended"])("with the status %s has no permissions", async (status) => {
		const asha = person();
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 2, status, roles: [] });
		expect(await begin().ensureUserFromToken(tenantId, asha)).toMatchObject({ status, grants: [] });
	});

	test("has the first role once they are approved, without another token", async () => {
		const asha = person({ status: "pending", globalRoles: ["member"] });
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 2, roles: ["admin"] });
		expect(roleOf(await begin().ensureUserFromToken(tenantId, asha))).toBe("shop_admin");
	});

	test("is not created if unknown, nor in another tenant", async () => {
		const [unknown, asha] = [person(), person()];
		await updated(unknown, { version: 1 });
		await disabled(unknown, 2);
		await deleted(unknown, 3);
		expect(await rowsIn(tenantId, unknown)).toEqual([]);
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 2, roles: ["member"], tenantid: otherId });
		expect(await rowsIn(otherId, asha)).toEqual([]);
		expect(await rowsIn(tenantId, asha)).toMatchObject([{ global_roles: ["admin"], version: 0 }]);
	});
});

describe("a person who is disabled or erased", () => {
	test("has no permissions in any tenant when disabled, and the earlier ones when enabled again", async () => {
		const asha = person();
		for (const id of [tenantId, otherId]) await access.ensureUserFromToken(id, asha);
		await disabled(asha, 2);
		for (const id of [tenantId, otherId])
			expect(await begin().ensureUserFromToken(id, asha)).toMatchObject({ status: "disabled", grants: [] });
		await updated(asha, { version: 3, at: seconds(5) });
		expect(roleOf(await begin().ensureUserFromToken(tenantId, asha))).toBe("shop_admin");
		expect((await begin().ensureUserFromToken(otherId, asha)).status).toBe("disabled");
	});

	test("has no personal data in any tenant when erased, and no token restores it", async () => {
		const asha = person();
		for (const id of [tenantId, otherId]) await access.ensureUserFromToken(id, asha);
		await access.assignRole({ tenantId, subject: asha.subject, role: "shop_admin" }, boss);
		await recordAudit(database.db, {
			tenantId,
			at: clock,
			actor: { kind: "user", id: asha.subject },
			action: "config.changed",
			subject: "x",
			detail: {},
			address: "203.0.113.9",
		});
		await deleted(asha, 9);
		await begin().ensureUserFromToken(tenantId, { ...asha, issuedAt: seconds(3_600) });
		await updated(asha, { version: 10 });
		for (const id of [tenantId, otherId]) {
			expect(await rowsIn(id, asha)).toMatchObject([
				{ email: "", name: "", status: "deleted", global_roles: [] },
			]);
			const left = await inTenant(database.db, id, (tx) =>
				tx.query(
					"select a.id from user_role_assignments a join users u on u.id = a.user_id where u.auth_service_user_id = $1",
					[asha.subject],
				),
			);
			expect(left).toEqual([]);
		}
		const log = await inTenant(database.db, tenantId, (tx) =>
			tx.query("select action, address from audit_log where actor_id = $1", [asha.subject]),
		);
		expect(log).toEqual([{ action: "config.changed", address: null }]);
	});

	test("can be disabled or erased by a service's role only through the two functions", async () => {
		const asha = person();
		await access.ensureUserFromToken(tenantId, asha);
		await expect(database.db.query("set role lango_lookup")).rejects.toThrow(/permission denied/);
		await expect(database.db.query("update audit_log set address = null")).rejects.toThrow(
			/permission denied/,
		);
		expect(await database.db.query("update users set name = 'x' returning id")).toEqual([]);
	});
});

describe("the cache", () => {
	/** Reads the old state once, and returns it when released. */
	const slowly = () => {
		const [isRead, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		let isFirst = true;
		const db: TestDatabase["db"] = {
			...database.db,
			query: (async (text, values) => {
				const rows = await database.db.query(text, values);
				if (!isFirst) return rows;
				isFirst = false;
				isRead.resolve();
				await go.promise;
				return rows;
			}) as typeof database.db.query,
		};
		return { db, isRead: isRead.promise, letGo: go.resolve };
	};

	test("does not store the result of a load during which the person changed", async () => {
		const asha = person();
		await access.ensureUserFromToken(tenantId, asha);
		const { db, isRead, letGo } = slowly();
		const replica = begin(db);
		const early = replica.ensureUserFromToken(tenantId, asha);
		await isRead;
		await updated(asha, { version: 2, roles: ["member"] });
		replica.changed(`person ${tenantId} ${asha.subject}`);
		const after = replica.ensureUserFromToken(tenantId, asha);
		letGo();
		expect([roleOf(await early), roleOf(await after)]).toEqual(["shop_admin", "shop_viewer"]);
		expect(roleOf(await replica.ensureUserFromToken(tenantId, asha))).toBe("shop_viewer");
	});

	test("keeps other people when one person changes", async () => {
		const [asha, juma] = [person(), person()];
		for (const one of [asha, juma]) await access.ensureUserFromToken(tenantId, one);
		for (const one of [asha, juma]) await updated(one, { version: 2, roles: ["member"] });
		access.changed(`person ${tenantId} ${asha.subject}`);
		access.changed(`tenant ${tenantId} shop`);
		expect(roleOf(await access.ensureUserFromToken(tenantId, asha))).toBe("shop_viewer");
		expect(roleOf(await access.ensureUserFromToken(tenantId, juma))).toBe("shop_admin");
	});

	test("is empty while the process is not subscribed to changes", async () => {
		const asha = person();
		await access.ensureUserFromToken(tenantId, asha);
		access.setSubscribed(false);
		await access.ensureUserFromToken(tenantId, asha);
		await updated(asha, { version: 2, roles: ["member"] });
		expect(roleOf(await access.ensureUserFromToken(tenantId, asha))).toBe("shop_viewer");
	});

	test("is notified of every change of a person or an assignment, and not of a first visit", async () => {
		const asha = person();
		const state: string[] = [];
		const ready = Promise.withResolvers<void>();
		const listening = listen({
			url: database.url,
			name: "test",
			channel: "domain_changed",
			// Notifications of other tests may still arrive.
			onMessage: (message) => void (message === `person ${tenantId} ${asha.subject}` && state.push(message)),
			onReady: ready.resolve,
			onLost: () => undefined,
		});
		await ready.promise;
		const message = `person ${tenantId} ${asha.subject}`;
		const assignment = { tenantId, subject: asha.subject, role: "shop_admin" };
		await access.ensureUserFromToken(tenantId, asha);
		expect((await rowsIn(tenantId, asha))[0]).toMatchObject({ outlet_ids: [] });
		await updated(asha, { version: 2, roles: ["member"] });
		await expect.poll(() => state).toEqual([message]);
		await access.assignRole(assignment, boss);
		await expect.poll(() => state).toEqual([message, message]);
		await access.revokeRole(assignment, boss);
		await expect.poll(() => state).toHaveLength(3);
		await disabled(asha, 3);
		await expect.poll(() => state).toHaveLength(4);
		await deleted(asha, 4);
		await expect.poll(() => state).toHaveLength(5);
		await listening.stop();
		expect(new Set(state)).toEqual(new Set([message]));
	});
});
