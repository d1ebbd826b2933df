import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { announceBundleChanges } from "../src/catalogue/announce-bundles.ts";
import { findBundleAnnouncement, recordAnnounced, recordBundle } from "../src/catalogue/bundle.store.ts";
import { bundles } from "../src/catalogue/catalogue.ts";
import { seedCatalogue } from "../src/catalogue/seed-catalogue.ts";
import { type Desk, openDesk } from "./desk.ts";
import { type Standing, standUp } from "./standing.ts";

let standing: Standing;
let desks: Desk[];
let other: Desk;
beforeAll(async () => {
	standing = await standUp();
});
afterAll(() => standing.end());
beforeEach(async () => {
	desks = Array.from({ length: 3 }, () => openDesk(standing));
	other = openDesk(standing);
	for (const desk of desks) await desk.ask("POST", "", { plan: "GROWTH" });
	await other.ask("POST", "", { plan: "STARTER" });
});
afterEach(async () => {
	await seedCatalogue(standing.db);
	await announcement();
});

const announcement = (tenantsMax?: number, signal = new AbortController().signal) =>
	announceBundleChanges(parts(), { signal, ...(tenantsMax !== undefined && { tenantsMax }) });
const parts = () => ({
	db: standing.db,
	clock: { now: () => standing.clock.now, hasTestClocks: true },
	mint: randomUUID,
});
const professional = { code: "professional", name: "Professional", products: ["ordering", "auth"] };
const versions = () => Promise.all([...desks, other].map(async (desk) => (await desk.snapshot()).version));

test("a change of a bundle is announced with a new version to every tenant on it, and to no other", async () => {
	await recordBundle(standing.db, professional);
	await standing.jobs.run("bundles.tell");
	expect(await versions()).toEqual([2, 2, 2, 1]);
	for (const desk of desks) {
		const [told] = (await desk.events("subscription.entitlements_changed")).slice(-1);
		expect(told?.data).toMatchObject({ version: 2, products: ["ordering", "auth"] });
		expect(await desk.snapshot()).toEqual(told?.data);
	}
	await standing.jobs.run("bundles.tell");
	expect(await versions()).toEqual([2, 2, 2, 1]);
});

test("a start with unchanged or renamed bundles announces nothing", async () => {
	await seedCatalogue(standing.db);
	const [first] = bundles.filter(({ code }) => code === "professional");
	if (first === undefined) throw new Error("the bundle does not exist");
	await recordBundle(standing.db, { ...first, name: "Pro" });
	await announcement();
	expect(await versions()).toEqual([1, 1, 1, 1]);
});

test("a release with one more product is announced to the tenants on the bundle of all products", async () => {
	const enterprise = openDesk(standing);
	await enterprise.ask("POST", "", { plan: "PROFESSIONAL" });
	const [all] = bundles.filter(({ code }) => code === "enterprise");
	if (all === undefined) throw new Error("the bundle enterprise does not exist");
	await recordBundle(standing.db, { ...all, products: all.products.slice(0, -1) });
	await announcement();
	await expect
		.poll(() => enterprise.snapshot())
		.toMatchObject({ version: 2, products: all.products.slice(0, -1) });
	await seedCatalogue(standing.db);
	await announcement();
	await expect.poll(() => enterprise.snapshot()).toMatchObject({ version: 3, products: all.products });
});

test("an announcement works in batches, and resumes after an interruption with the same snapshots", async () => {
	await recordBundle(standing.db, professional);
	await announcement(1, AbortSignal.abort());
	expect(await versions()).toEqual([1, 1, 1, 1]);
	await announcement(1);
	expect(await versions()).toEqual([2, 2, 2, 1]);
});

test("a bundle that changes while it is announced is announced again to every tenant on it", async () => {
	await recordBundle(standing.db, professional);
	const underWay = await findBundleAnnouncement(standing.db);
	if (underWay === undefined) throw new Error("the change is not announced");
	await recordBundle(standing.db, { ...professional, products: ["ordering"] });
	// The announcement of the first change goes on, and ends: neither counts for the second change.
	const last = "ffffffff-ffff-ffff-ffff-ffffffffffff";
	await recordAnnounced(standing.db, { ...underWay, until: last });
	await recordAnnounced(standing.db, { ...underWay, until: undefined });
	await announcement();
	for (const desk of desks)
		expect(await desk.snapshot()).toMatchObject({ version: 2, products: ["ordering"] });
});
