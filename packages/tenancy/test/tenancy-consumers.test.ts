import { randomUUID } from "node:crypto";
import { type PublicOutlet, tenantCreated, tenantSuspended, tenantUpdated } from "@lango/contracts";

import { createTestDatabase, startTestIssuer, type TestIssuer } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTenancy, type SignOn, signOnAt, type Tenancy, tenancyMigrations } from "../src/index.ts";
import {
	createEventSource,
	type EventSource,
	fresh,
	listOutletsOf,
	slowSignOn,
	testOutlet,
} from "./event-source.ts";

const database = setUp(
	() => createTestDatabase({ name: "tenancy", sets: [tenancyMigrations] }),
	({ drop }) => drop(),
);
let issuer: TestIssuer;
let clock: Date;
let tenancy: Tenancy;
let publish: EventSource["publish"];
let brief: EventSource["brief"];
let publishOutlet: EventSource["publishOutlet"];

const begin = (signOn: SignOn = signOnAt(issuer.url)) =>
	createTenancy({
		db: database.db,
		signOn,
		now: () => clock,
		onError: (error, about) => {
			throw new Error(about, { cause: error });
		},
	});
const asked = () => [...issuer.asked.values()].reduce((sum, times) => sum + times, 0);
const outletsOf = (tenantId: string) => listOutletsOf(database.db, tenantId);
const rowOf = async (id: string) => (await database.db.query("select * from tenants where id = $1", [id]))[0];

beforeAll(async () => {
	issuer = await startTestIssuer();
	({ publish, brief, publishOutlet } = createEventSource(database.db, () => clock));
});
afterAll(() => issuer.close());
beforeEach(() => {
	clock = new Date();
	tenancy = begin();
});

describe("tenants from events", () => {
	test("a tenant from an event is known by its id without a request", async () => {
		const uhai = fresh("uhai");
		await publish(tenantCreated, uhai, 1);
		const before = asked();
		expect(await tenancy.findBySlug(uhai.slug)).toMatchObject({ id: uhai.id, timeZone: "Africa/Nairobi" });
		expect(await tenancy.findById(uhai.id)).toMatchObject({ slug: uhai.slug, status: "active" });
		expect(asked()).toBe(before);
	});

	test("a rename keeps the id, frees the old slug, and needs no request", async () => {
		const clinic = fresh("old");
		await publish(tenantCreated, clinic, 1);
		const renamed = { ...clinic, slug: `new-${clinic.id.slice(0, 8)}` };
		await publish(tenantUpdated, renamed, 2);
		const before = asked();
		expect(await tenancy.findBySlug(renamed.slug)).toMatchObject({ id: clinic.id });
		expect(asked()).toBe(before);
		const heir = { ...fresh("heir"), slug: clinic.slug };
		await publish(tenantCreated, heir, 1);
		expect(await begin().findBySlug(clinic.slug)).toMatchObject({ id: heir.id });
	});

	test("an event with a lower version is ignored", async () => {
		const shop = fresh("shop");
		await publish(tenantUpdated, { ...shop, name: "Newer" }, 7);
		await publish(tenantUpdated, { ...shop, name: "Older" }, 6);
		await brief(tenantSuspended, shop, 5);
		expect(await rowOf(shop.id)).toMatchObject({ name: "Newer", status: "active", version: 7 });
	});

	test("a suspended tenant is not active until it is resumed", async () => {
		const shop = fresh("shut");
		await publish(tenantCreated, shop, 1);
		await brief(tenantSuspended, shop, 2);
		expect(await begin().findBySlug(shop.slug)).toMatchObject({ status: "suspended" });
		await publish(tenantUpdated, shop, 3);
		expect(await begin().findBySlug(shop.slug)).toMatchObject({ status: "active" });
	});

	test("an unknown tenant is suspended too, despite a response in progress", async () => {
		const late = fresh("late");
		const { signOn, isAsked, letGo } = slowSignOn(late);
		const looking = begin(signOn).findBySlug(late.slug);
		await isAsked;
		await brief(tenantSuspended, late, 4);
		letGo();
		expect(await looking).toMatchObject({ id: late.id, status: "suspended" });
	});

	test("an outlet can arrive before its tenant, which is fetched when it is needed", async () => {
		const tenant = fresh("early");
		await publishOutlet(tenant, testOutlet(), 1);
		issuer.tenants.push(tenant);
		expect(await tenancy.findById(tenant.id, tenant.slug)).toMatchObject({ status: "active" });
		expect(await outletsOf(tenant.id)).toEqual([{ name: "Ward", version: 1 }]);
	});

	test("a slug stays with the tenant that has it, and the new tenant is known by its id", async () => {
		const holder = fresh("held");
		await publish(tenantCreated, holder, 1);
		const newcomer = { ...fresh("comes"), slug: holder.slug };
		await publish(tenantCreated, newcomer, 1);
		expect(await tenancy.findBySlug(holder.slug)).toMatchObject({ id: holder.id });
		expect(await tenancy.findById(newcomer.id)).toMatchObject({ name: newcomer.name, slug: newcomer.id });
		await publish(tenantUpdated, { ...holder, slug: `${holder.slug}-2` }, 2);
		issuer.tenants.push(newcomer);
		expect(await begin().findBySlug(newcomer.slug)).toMatchObject({ id: newcomer.id });
	});
});

describe("outlets from events", () => {
	test("an outlet has the state of the event with the highest version", async () => {
		const tenant = fresh("ward");
		await publish(tenantCreated, tenant, 1);
		const outlet = testOutlet();
		await publishOutlet(tenant, { ...outlet, name: "Second" }, 2);
		await publishOutlet(tenant, { ...outlet, name: "First" }, 1);
		expect(await outletsOf(tenant.id)).toEqual([{ name: "Second", version: 2 }]);
	});

	test("an outlet with an unknown use case is refused", async () => {
		const tenant = fresh("odd");
		const outlet = { ...testOutlet(), use_case: "moon" } as unknown as PublicOutlet;
		await expect(publishOutlet(tenant, outlet, 1)).rejects.toThrow(/does not match the contract/);
	});
});

describe("concurrent responses and events", () => {
	test("a response that was requested before an event changes nothing", async () => {
		const tenant = fresh("race");
		await publish(tenantCreated, tenant, 1);
		clock = new Date(clock.getTime() + 301_000);
		const { signOn, isAsked, letGo } = slowSignOn({ ...tenant, name: "As it was" });
		const stale = begin(signOn);
		await stale.findBySlug(tenant.slug);
		await isAsked;
		await publish(tenantUpdated, { ...tenant, name: "As it is" }, 2);
		letGo();
		await stale.settled();
		expect(await rowOf(tenant.id)).toMatchObject({ name: "As it is", version: 2 });
	});

	test("a response that was requested after the event corrects missed events", async () => {
		const tenant = fresh("repair");
		await publish(tenantCreated, tenant, 1);
		issuer.tenants.push({ ...tenant, name: "Changed, and no event came" });
		clock = new Date(clock.getTime() + 301_000);
		await tenancy.findBySlug(tenant.slug);
		await tenancy.settled();
		expect(await rowOf(tenant.id)).toMatchObject({ name: "Changed, and no event came" });
	});

	test("events after a response lead to the state of the last one", async () => {
		const tenant = fresh("after");
		issuer.tenants.push({ ...tenant, name: "Third" });
		await tenancy.findBySlug(tenant.slug);
		for (const [index, name] of ["First", "Second", "Third"].entries())
			await publish(tenantUpdated, { ...tenant, name }, index + 1);
		expect(await rowOf(tenant.id)).toMatchObject({ name: "Third", version: 3 });
	});

	test("an outlet that an event changed during a request keeps that state", async () => {
		const tenant = fresh("outlet-race");
		await publish(tenantCreated, tenant, 1);
		const outlet = testOutlet();
		clock = new Date(clock.getTime() + 301_000);
		const { signOn, isAsked, letGo } = slowSignOn(tenant);
		const stale = begin({ ...signOn, listOutlets: async () => [{ ...outlet, name: "As it was" }] });
		await stale.findBySlug(tenant.slug);
		await isAsked;
		await publishOutlet(tenant, { ...outlet, name: "As it is" }, 3);
		letGo();
		await stale.settled();
		expect(await outletsOf(tenant.id)).toEqual([{ name: "As it is", version: 3 }]);
	});
});

describe("the cache", () => {
	test("is invalidated by a notification, and a lookup in progress is not stored", async () => {
		const tenant = fresh("held");
		await publish(tenantCreated, tenant, 1);
		await tenancy.findBySlug(tenant.slug);
		await brief(tenantSuspended, tenant, 2);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "active" });
		tenancy.changed(`tenant ${tenant.id} ${tenant.slug}`);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "suspended" });

		const other = fresh("flight");
		const { signOn, isAsked, letGo } = slowSignOn(other);
		const flying = begin(signOn);
		const looking = flying.findBySlug(other.slug);
		await isAsked;
		flying.changed(`tenant ${other.id} ${other.slug}`);
		letGo();
		await looking;
		await brief(tenantSuspended, other, 5);
		expect(await flying.findBySlug(other.slug)).toMatchObject({ status: "suspended" });
	});

	test("is empty while the process is not subscribed to changes", async () => {
		const tenant = fresh("deaf");
		await publish(tenantCreated, tenant, 1);
		await tenancy.findBySlug(tenant.slug);
		tenancy.setSubscribed(false);
		await tenancy.findBySlug(tenant.slug);
		await brief(tenantSuspended, tenant, 2);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "suspended" });
		tenancy.setSubscribed(true);
		await tenancy.findBySlug(tenant.slug);
		await publish(tenantUpdated, tenant, 3);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "suspended" });
	});

	test("ignores notifications about other things", async () => {
		const tenant = fresh("else");
		await publish(tenantCreated, tenant, 1);
		await tenancy.findBySlug(tenant.slug);
		await brief(tenantSuspended, tenant, 2);
		tenancy.changed(`person ${tenant.id} ${randomUUID()}`);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "active" });
	});
});
