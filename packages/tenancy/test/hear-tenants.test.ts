import { randomUUID } from "node:crypto";
import { type PublicOutlet, tenantCreated, tenantSuspended, tenantUpdated } from "@lango/contracts";

import { createTestDatabase, startTestIssuer, type TestDatabase, type TestIssuer } from "@lango/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTenancy, type SignOn, signOnAt, type Tenancy, tenancyMigrations } from "../src/index.ts";
import { fresh, listOutletsOf, slowSignOn, type Telling, tellTo, testOutlet } from "./telling.ts";

let database: TestDatabase;
let issuer: TestIssuer;
let clock: Date;
let tenancy: Tenancy;
let told: Telling["told"];
let brief: Telling["brief"];
let outletTold: Telling["outletTold"];

const begin = (signOn: SignOn = signOnAt(issuer.url)) =>
	createTenancy({
		db: database.db,
		signOn,
		now: () => clock,
		onTrouble: (error, about) => {
			throw new Error(about, { cause: error });
		},
	});
const asked = () => [...issuer.asked.values()].reduce((sum, times) => sum + times, 0);
const outletsOf = (tenantId: string) => listOutletsOf(database.db, tenantId);
const rowOf = async (id: string) => (await database.db.query("select * from tenants where id = $1", [id]))[0];

beforeAll(async () => {
	database = await createTestDatabase({ name: "tenancy", sets: [tenancyMigrations] });
	issuer = await startTestIssuer();
	({ told, brief, outletTold } = tellTo(database.db, () => clock));
});
afterAll(async () => {
	await issuer.close();
	await database.drop();
});
beforeEach(() => {
	clock = new Date();
	tenancy = begin();
});

describe("tenants told by events", () => {
	test("a tenant that an event told of is known with the id it gave, and nobody is asked", async () => {
		const uhai = fresh("uhai");
		await told(tenantCreated, uhai, 1);
		const before = asked();
		expect(await tenancy.findBySlug(uhai.slug)).toMatchObject({ id: uhai.id, timeZone: "Africa/Nairobi" });
		expect(await tenancy.findById(uhai.id)).toMatchObject({ slug: uhai.slug, status: "active" });
		expect(asked()).toBe(before);
	});

	test("a rename keeps the id, frees the old slug, and nobody is asked for the new one", async () => {
		const clinic = fresh("old");
		await told(tenantCreated, clinic, 1);
		const renamed = { ...clinic, slug: `new-${clinic.id.slice(0, 8)}` };
		await told(tenantUpdated, renamed, 2);
		const before = asked();
		expect(await tenancy.findBySlug(renamed.slug)).toMatchObject({ id: clinic.id });
		expect(asked()).toBe(before);
		const heir = { ...fresh("heir"), slug: clinic.slug };
		await told(tenantCreated, heir, 1);
		expect(await begin().findBySlug(clinic.slug)).toMatchObject({ id: heir.id });
	});

	test("what an event of a lower version says is ignored", async () => {
		const shop = fresh("shop");
		await told(tenantUpdated, { ...shop, name: "Newer" }, 7);
		await told(tenantUpdated, { ...shop, name: "Older" }, 6);
		await brief(tenantSuspended, shop, 5);
		expect(await rowOf(shop.id)).toMatchObject({ name: "Newer", status: "active", version: 7 });
	});

	test("a suspended tenant is not active, and resumed it is", async () => {
		const shop = fresh("shut");
		await told(tenantCreated, shop, 1);
		await brief(tenantSuspended, shop, 2);
		expect(await begin().findBySlug(shop.slug)).toMatchObject({ status: "suspended" });
		await told(tenantUpdated, shop, 3);
		expect(await begin().findBySlug(shop.slug)).toMatchObject({ status: "active" });
	});

	test("a tenant never heard of before is suspended all the same, whatever was asked before", async () => {
		const late = fresh("late");
		const { signOn, isAsked, letGo } = slowSignOn(late);
		const looking = begin(signOn).findBySlug(late.slug);
		await isAsked;
		await brief(tenantSuspended, late, 4);
		letGo();
		expect(await looking).toMatchObject({ id: late.id, status: "suspended" });
	});

	test("an outlet comes before its tenant is told of, and the tenant is asked for when it is needed", async () => {
		const tenant = fresh("early");
		await outletTold(tenant, testOutlet(), 1);
		issuer.tenants.push(tenant);
		expect(await tenancy.findById(tenant.id, tenant.slug)).toMatchObject({ status: "active" });
		expect(await outletsOf(tenant.id)).toEqual([{ name: "Ward", version: 1 }]);
	});

	test("a slug that is another's here stays with that one, and the newcomer is known by its id", async () => {
		const holder = fresh("held");
		await told(tenantCreated, holder, 1);
		const newcomer = { ...fresh("comes"), slug: holder.slug };
		await told(tenantCreated, newcomer, 1);
		expect(await tenancy.findBySlug(holder.slug)).toMatchObject({ id: holder.id });
		expect(await tenancy.findById(newcomer.id)).toMatchObject({ name: newcomer.name, slug: newcomer.id });
		await told(tenantUpdated, { ...holder, slug: `${holder.slug}-2` }, 2);
		issuer.tenants.push(newcomer);
		expect(await begin().findBySlug(newcomer.slug)).toMatchObject({ id: newcomer.id });
	});
});

describe("outlets told by events", () => {
	test("an outlet is kept as the event of the highest version told of it", async () => {
		const tenant = fresh("ward");
		await told(tenantCreated, tenant, 1);
		const outlet = testOutlet();
		await outletTold(tenant, { ...outlet, name: "Second" }, 2);
		await outletTold(tenant, { ...outlet, name: "First" }, 1);
		expect(await outletsOf(tenant.id)).toEqual([{ name: "Second", version: 2 }]);
	});

	test("an outlet of a kind nobody knows is refused", async () => {
		const tenant = fresh("odd");
		const outlet = { ...testOutlet(), use_case: "moon" } as unknown as PublicOutlet;
		await expect(outletTold(tenant, outlet, 1)).rejects.toThrow(/none of the kinds/);
	});
});

describe("an answer and an event at the same time", () => {
	test("an answer that was on its way when an event came changes nothing", async () => {
		const tenant = fresh("race");
		await told(tenantCreated, tenant, 1);
		clock = new Date(clock.getTime() + 301_000);
		const { signOn, isAsked, letGo } = slowSignOn({ ...tenant, name: "As it was" });
		const stale = begin(signOn);
		await stale.findBySlug(tenant.slug);
		await isAsked;
		await told(tenantUpdated, { ...tenant, name: "As it is" }, 2);
		letGo();
		await stale.settled();
		expect(await rowOf(tenant.id)).toMatchObject({ name: "As it is", version: 2 });
	});

	test("an answer asked for after the event tells what events may have missed", async () => {
		const tenant = fresh("mend");
		await told(tenantCreated, tenant, 1);
		issuer.tenants.push({ ...tenant, name: "Changed, and no event came" });
		clock = new Date(clock.getTime() + 301_000);
		await tenancy.findBySlug(tenant.slug);
		await tenancy.settled();
		expect(await rowOf(tenant.id)).toMatchObject({ name: "Changed, and no event came" });
	});

	test("events that come after an answer lead to what the last of them told", async () => {
		const tenant = fresh("after");
		issuer.tenants.push({ ...tenant, name: "Third" });
		await tenancy.findBySlug(tenant.slug);
		for (const [index, name] of ["First", "Second", "Third"].entries())
			await told(tenantUpdated, { ...tenant, name }, index + 1);
		expect(await rowOf(tenant.id)).toMatchObject({ name: "Third", version: 3 });
	});

	test("an outlet told of while an answer was on its way stays as told", async () => {
		const tenant = fresh("outlet-race");
		await told(tenantCreated, tenant, 1);
		const outlet = testOutlet();
		clock = new Date(clock.getTime() + 301_000);
		const { signOn, isAsked, letGo } = slowSignOn(tenant);
		const stale = begin({ ...signOn, listOutlets: async () => [{ ...outlet, name: "As it was" }] });
		await stale.findBySlug(tenant.slug);
		await isAsked;
		await outletTold(tenant, { ...outlet, name: "As it is" }, 3);
		letGo();
		await stale.settled();
		expect(await outletsOf(tenant.id)).toEqual([{ name: "As it is", version: 3 }]);
	});
});

describe("what is held in memory", () => {
	test("is dropped when the database tells of a change, and what was being looked up then is not kept", async () => {
		const tenant = fresh("held");
		await told(tenantCreated, tenant, 1);
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

	test("is nothing while changes are not heard of", async () => {
		const tenant = fresh("deaf");
		await told(tenantCreated, tenant, 1);
		await tenancy.findBySlug(tenant.slug);
		tenancy.hear(false);
		await tenancy.findBySlug(tenant.slug);
		await brief(tenantSuspended, tenant, 2);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "suspended" });
		tenancy.hear(true);
		await tenancy.findBySlug(tenant.slug);
		await told(tenantUpdated, tenant, 3);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "suspended" });
	});

	test("a message about something else drops nothing", async () => {
		const tenant = fresh("else");
		await told(tenantCreated, tenant, 1);
		await tenancy.findBySlug(tenant.slug);
		await brief(tenantSuspended, tenant, 2);
		tenancy.changed(`person ${tenant.id} ${randomUUID()}`);
		expect(await tenancy.findBySlug(tenant.slug)).toMatchObject({ status: "active" });
	});
});
