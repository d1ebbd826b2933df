import { tenantCreated, tenantDeleted, tenantUpdated } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { createTestDatabase, startTestIssuer, type TestIssuer } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
	createTenancy,
	type SignOn,
	signOnAt,
	startErasing,
	type Tenancy,
	tenancyMigrations,
} from "../src/index.ts";
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

describe("a tenant that is deleted", () => {
	const begun = (kept: readonly string[] = []) =>
		startErasing({
			db: database.db,
			now: () => clock,
			kept,
			onError: (error) => {
				throw error;
			},
		});
	const erasedAt = async (id: string) => (await rowOf(id))?.erased_at;

	test("keeps only its id, is not found any more, and no response restores it", async () => {
		const gone = fresh("gone");
		await publish(tenantCreated, gone, 1);
		await brief(tenantDeleted, gone, 2);
		expect(await rowOf(gone.id)).toMatchObject({ slug: gone.id, name: "", status: "deleted" });
		issuer.tenants.push(gone);
		expect(await tenancy.findBySlug(gone.slug)).toBeUndefined();
		expect(await tenancy.findById(gone.id, gone.slug)).toBeUndefined();
		await publish(tenantUpdated, gone, 9);
		expect(await rowOf(gone.id)).toMatchObject({ status: "deleted", name: "" });
	});

	test("is not created by a response in progress, even if it was unknown before", async () => {
		const gone = fresh("never");
		const { signOn, isAsked, letGo } = slowSignOn(gone);
		const looking = begin(signOn).findBySlug(gone.slug);
		await isAsked;
		await brief(tenantDeleted, gone, 2);
		letGo();
		expect(await looking).toBeUndefined();
		expect(await rowOf(gone.id)).toMatchObject({ status: "deleted", name: "" });
	});

	test("loses its rows immediately, and rows that a late request added, before the erasure is complete", async () => {
		const gone = fresh("erased");
		await publish(tenantCreated, gone, 1);
		await publishOutlet(gone, testOutlet(), 1);
		await brief(tenantDeleted, gone, 2);
		const erasing = begun();
		await expect.poll(() => outletsOf(gone.id)).toEqual([]);
		await inTenant(database.db, gone.id, (tx) =>
			tx.query(
				`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
				 values (gen_random_uuid(), $1, 'L', 'Late', 'services', false, 'active', '{}', now())`,
				[gone.id],
			),
		);
		expect(await erasedAt(gone.id)).toBeNull();
		clock = new Date(clock.getTime() + 301_000);
		erasing.wake();
		await expect.poll(() => erasedAt(gone.id)).not.toBeNull();
		expect(await outletsOf(gone.id)).toEqual([]);
		await erasing.stop();
	});

	test("keeps its rows in the tables listed as kept", async () => {
		const gone = fresh("kept");
		await publish(tenantCreated, gone, 1);
		await publishOutlet(gone, testOutlet(), 1);
		await brief(tenantDeleted, gone, 2);
		clock = new Date(clock.getTime() + 301_000);
		const erasing = begun(["outlets"]);
		await expect.poll(() => erasedAt(gone.id)).not.toBeNull();
		await erasing.stop();
		expect(await outletsOf(gone.id)).toHaveLength(1);
	});

	test("loses more rows than one batch, and an existing tenant loses none", async () => {
		const [gone, stays] = [fresh("many"), fresh("stays")];
		for (const tenant of [gone, stays]) {
			await publish(tenantCreated, tenant, 1);
			await inTenant(database.db, tenant.id, (tx) =>
				tx.query(
					`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
					 select gen_random_uuid(), $1, n, n, 'services', false, 'active', '{}', now() from generate_series(1, 1200) n`,
					[tenant.id],
				),
			);
		}
		await brief(tenantDeleted, gone, 2);
		const erasing = begun();
		await expect.poll(() => outletsOf(gone.id)).toEqual([]);
		await erasing.stop();
		expect(await outletsOf(stays.id)).toHaveLength(1_200);
		await expect(database.db.query("select erase_tenant_rows($1, '{}', 10)", [stays.id])).rejects.toThrow(
			/is not deleted/,
		);
	});
});
