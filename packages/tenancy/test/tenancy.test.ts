import { randomUUID } from "node:crypto";
import type { PublicOutlet, PublicTenant } from "@lango/contracts";
import { acrossTenants, inTenant, listUnguardedTables } from "@lango/postgres";
import { createTestDatabase, startTestIssuer, type TestIssuer, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
	createTenancy,
	signOnAt,
	type Tenancy,
	TenantDrifted,
	TenantUnavailable,
	tenancyMigrations,
} from "../src/index.ts";

const sets = [tenancyMigrations];
const database = setUp(
	() => createTestDatabase({ name: "tenancy", sets }),
	({ drop }) => drop(),
);
let issuer: TestIssuer;
let clock: Date;
let errors: string[];
let tenancy: Tenancy;

const begin = (apiKey?: string) =>
	createTenancy({
		db: database.db,
		signOn: signOnAt(issuer.url, { apiKey }),
		now: () => clock,
		onError: (_error, about) => void errors.push(about),
	});
const later = (seconds: number) => {
	clock = new Date(clock.getTime() + seconds * 1_000);
};
const asked = (slug: string) => issuer.asked.get(`/api/v1/tenants/by-slug/${slug}`) ?? 0;

beforeAll(async () => {
	issuer = await startTestIssuer();
});
afterAll(() => issuer.close());
beforeEach(() => {
	clock = new Date();
	errors = [];
	issuer.brokenWith = undefined;
	tenancy = begin();
});

test("a tenant that only the sign-on service has is fetched once and recorded with its id", async () => {
	const uhai = testTenant("uhai");
	issuer.tenants.push(uhai);
	const found = await Promise.all(Array.from({ length: 20 }, () => tenancy.findBySlug("uhai")));
	expect(new Set(found.map((tenant) => tenant?.id))).toEqual(new Set([uhai.id]));
	expect(asked("uhai")).toBe(1);
	expect(await begin().findById(uhai.id)).toMatchObject({
		slug: "uhai",
		status: "active",
		timeZone: "Africa/Nairobi",
	});
	expect(asked("uhai")).toBe(1);
});

test("replicas that look up a new tenant at the same time all find it", async () => {
	for (let round = 0; round < 25; round += 1) {
		const tenant = testTenant(`race-${round}`);
		issuer.tenants.push(tenant);
		const found = await Promise.all(Array.from({ length: 6 }, () => begin().findBySlug(tenant.slug)));
		expect(found.map((one) => one?.id)).toEqual(Array(6).fill(tenant.id));
	}
});

test("its outlets are fetched too and visible to this tenant only", async () => {
	const ward = testTenant("ward");
	const outlet: PublicOutlet = {
		id: crypto.randomUUID(),
		code: "W1",
		name: "Ward",
		use_case: "services",
		is_hq: false,
		status: "active",
		settings: {},
	};
	issuer.tenants.push(ward);
	issuer.outlets.set("ward", [outlet]);
	await tenancy.findBySlug("ward");
	const count = (tenantId: string): Promise<unknown> =>
		inTenant(database.db, tenantId, (tx) => tx.query("select code from outlets"));
	expect(await count(ward.id)).toEqual([{ code: "W1" }]);
	expect(await count(crypto.randomUUID())).toEqual([]);
	expect(await database.db.query("select code from outlets")).toEqual([]);
	const everywhere = await acrossTenants(database.db, (tx) =>
		tx.query<{ code: string }>("select code from outlets"),
	);
	expect(everywhere).toContainEqual({ code: "W1" });
});

test("settings of outlets are copied only with a key; the public list never replaces known ones", async () => {
	const clinic = testTenant("clinic");
	const outlet = {
		id: crypto.randomUUID(),
		code: "C1",
		name: "Clinic",
		use_case: "services",
		is_hq: false,
		status: "active",
	} as const;
	issuer.tenants.push(clinic);
	const publish = (name: string, settings: Record<string, unknown>) =>
		issuer.outlets.set("clinic", [{ ...outlet, name, settings }]);
	/** A process with an empty cache asks again, with a key or without one. */
	const sync = async (apiKey?: string) => {
		later(6 * 60);
		const fresh = begin(apiKey);
		await fresh.findBySlug("clinic");
		await fresh.settled();
		const [row] = await inTenant(database.db, clinic.id, (tx) =>
			tx.query("select name, settings from outlets"),
		);
		return row;
	};
	publish("One", { phone: "+254 700 000 000" });
	expect(await sync()).toEqual({ name: "One", settings: {} });
	publish("Two", { phone: "+254 700 000 000", room_count: 2 });
	expect(await sync("key")).toEqual({ name: "Two", settings: { phone: "+254 700 000 000", room_count: 2 } });
	publish("Three", { phone: "+254 700 000 001" });
	expect(await sync()).toEqual({ name: "Three", settings: { phone: "+254 700 000 000", room_count: 2 } });
	expect(await sync("key")).toEqual({ name: "Three", settings: { phone: "+254 700 000 001" } });
	expect(issuer.asked.get("/api/v1/tenants/clinic/outlets")).toBe(2);
	expect(issuer.asked.get("/api/v1/tenants/clinic/outlet-settings")).toBe(2);
});

test("an unknown slug is requested once in 30 seconds", async () => {
	expect(await tenancy.findBySlug("nowhere")).toBeUndefined();
	expect(await tenancy.findBySlug("nowhere")).toBeUndefined();
	expect(asked("nowhere")).toBe(1);
	later(31);
	issuer.tenants.push(testTenant("nowhere"));
	expect(await tenancy.findBySlug("nowhere")).toMatchObject({ slug: "nowhere" });
});

test("an unknown id is looked up at the sign-on service and recorded with its slug", async () => {
	const rafiki = testTenant("rafiki");
	issuer.tenants.push(rafiki);
	const found = await Promise.all(
		Array.from({ length: 20 }, () => tenancy.findById(rafiki.id.toUpperCase())),
	);
	for (const tenant of found) expect(tenant).toMatchObject({ id: rafiki.id, slug: "rafiki" });
	expect(issuer.asked.get(`/api/v1/tenants/${rafiki.id}`)).toBe(1);
	expect(await tenancy.findBySlug("rafiki")).toMatchObject({ id: rafiki.id });
	expect(asked("rafiki")).toBe(1);
});

test("an id without a tenant is requested once in 30 seconds; an unavailable sign-on service does not mean that it does not exist", async () => {
	const nowhere = randomUUID();
	for (let time = 0; time < 3; time += 1) expect(await tenancy.findById(nowhere)).toBeUndefined();
	expect(issuer.asked.get(`/api/v1/tenants/${nowhere}`)).toBe(1);
	later(31);
	expect(await tenancy.findById(nowhere)).toBeUndefined();
	expect(issuer.asked.get(`/api/v1/tenants/${nowhere}`)).toBe(2);
	issuer.brokenWith = 503;
	await expect(tenancy.findById(randomUUID())).rejects.toBeInstanceOf(TenantUnavailable);
});

test("at most fifty ids are requested at once; a further one throws TenantUnavailable, and nothing is cached for it", async () => {
	const answering = Promise.withResolvers<void>();
	const busy = createTenancy({
		db: database.db,
		signOn: {
			...signOnAt(issuer.url),
			findTenantById: async () => {
				await answering.promise;
				return undefined;
			},
		},
		now: () => clock,
		onError: () => {},
	});
	const ids = Array.from({ length: 51 }, () => randomUUID());
	const answers = ids.map((id) =>
		busy.findById(id).then(
			() => ({ id, refused: undefined }),
			(refused: unknown) => ({ id, refused }),
		),
	);
	const first = await Promise.race(answers);
	expect(first.refused).toBeInstanceOf(TenantUnavailable);
	answering.resolve();
	expect((await Promise.all(answers)).filter(({ refused }) => refused === undefined)).toHaveLength(50);
	expect(await busy.findById(first.id)).toBeUndefined();
});

test.each(["UHAI", "u", "../x", "a b", "x".repeat(64)])(
	"%s is not a valid slug and causes no request",
	async (slug) => {
		const before = [...issuer.asked.values()].reduce((sum, times) => sum + times, 0);
		expect(await tenancy.findBySlug(slug)).toBeUndefined();
		expect([...issuer.asked.values()].reduce((sum, times) => sum + times, 0)).toBe(before);
	},
);

test("an unknown tenant is unavailable, not absent, while the sign-on service is unavailable", async () => {
	issuer.brokenWith = 503;
	await expect(tenancy.findBySlug("away")).rejects.toBeInstanceOf(TenantUnavailable);
	issuer.brokenWith = undefined;
	issuer.tenants.push(testTenant("away"));
	expect(await tenancy.findBySlug("away")).toMatchObject({ slug: "away" });
});

test("a known tenant is served while the sign-on service is unavailable, and the error is reported", async () => {
	issuer.tenants.push(testTenant("known"));
	await tenancy.findBySlug("known");
	later(600);
	issuer.brokenWith = 503;
	expect(await tenancy.findBySlug("known")).toMatchObject({ slug: "known" });
	await tenancy.settled();
	expect(errors).toEqual(["the tenant known"]);
});

test("a change at the sign-on service is noticed within five minutes, in the background of a request", async () => {
	const shut = testTenant("shut");
	issuer.tenants.push(shut);
	await tenancy.findBySlug("shut");
	shut.status = "suspended";
	later(301);
	await tenancy.findBySlug("shut");
	await tenancy.settled();
	expect(await tenancy.findBySlug("shut")).toMatchObject({ status: "suspended" });
});

test("a renamed tenant keeps its id and its row", async () => {
	const clinic = testTenant("old-name");
	issuer.tenants.push(clinic);
	await tenancy.findBySlug("old-name");
	clinic.slug = "new-name";
	expect(await tenancy.findBySlug("new-name")).toMatchObject({ id: clinic.id, slug: "new-name" });
	expect(await database.db.query("select slug from tenants where id = $1", [clinic.id])).toEqual([
		{ slug: "new-name" },
	]);
});

test("a slug whose id differs from the local row's is refused until the sign-on service confirms it, and is then followed", async () => {
	const first = testTenant("drift");
	issuer.tenants.push(first);
	await tenancy.findBySlug("drift");
	const issuedId = crypto.randomUUID();
	await expect(tenancy.findById(issuedId, "drift")).rejects.toMatchObject({
		name: "TenantDrifted",
		localId: first.id,
		issuedId,
	});
	expect(errors).toEqual([]);
	first.id = issuedId;
	await expect(tenancy.findById(issuedId, "drift")).rejects.toBeInstanceOf(TenantDrifted);
	later(31);
	expect(await tenancy.findById(issuedId, "drift")).toMatchObject({ id: issuedId, slug: "drift" });
	expect(await begin().findBySlug("drift")).toMatchObject({ id: issuedId });
	expect(await database.db.query("select id from tenants where slug = 'drift'")).toEqual([{ id: issuedId }]);
});

test.each<[string, Partial<PublicTenant>]>([
	["that is too long", { name: "x".repeat(20_000) }],
	["of the wrong shape", { status: 7 as unknown as string }],
	["with an invalid id", { id: "42" }],
])("a response %s is refused", async (_what, more) => {
	const slug = `odd-${crypto.randomUUID().slice(0, 8)}`;
	issuer.tenants.push(testTenant(slug, more));
	await expect(tenancy.findBySlug(slug)).rejects.toBeInstanceOf(TenantUnavailable);
});

test("every table with a tenant has its policy", async () => {
	expect(await listUnguardedTables(database.db)).toEqual([]);
});
