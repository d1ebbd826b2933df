import { afterEach, beforeEach, expect, test } from "vitest";
import { announceBundleChanges } from "../src/catalogue/announce-bundles.ts";
import { findBundleAnnouncement, recordAnnounced, recordBundle } from "../src/catalogue/bundle.store.ts";
import { bundles } from "../src/catalogue/catalogue.ts";
import { seedCatalogue } from "../src/catalogue/seed-catalogue.ts";
import { type Desk, openDesk } from "./desk.ts";
import { setUpService } from "./test-service.ts";

const service = setUpService();
let desks: Desk[];
let other: Desk;
beforeEach(async () => {
	desks = Array.from({ length: 3 }, () => openDesk(service));
	other = openDesk(service);
	for (const desk of desks) await desk.ask("POST", "", { plan: "GROWTH" });
	await other.ask("POST", "", { plan: "STARTER" });
});
afterEach(async () => {
	await seedCatalogue(service.db);
	await announcement();
});

const announcement = (tenantsMax?: number, signal = new AbortController().signal) =>
	announceBundleChanges(service.parts, { signal, ...(tenantsMax !== undefined && { tenantsMax }) });
const professional = { code: "professional", name: "Professional", products: ["ordering", "auth"] };
const versions = () => Promise.all([...desks, other].map(async (desk) => (await desk.snapshot()).version));

test("a change of a bundle is announced with a new version to every tenant on it, and to no other", async () => {
	await recordBundle(service.db, professional);
	await service.jobs.run("bundles.tell");
	expect(await versions()).toEqual([2, 2, 2, 1]);
	for (const desk of desks) {
		const [notice] = (await desk.events("subscription.entitlements_changed")).slice(-1);
		expect(notice?.data).toMatchObject({ version: 2, products: ["ordering", "auth"] });
		expect(await desk.snapshot()).toEqual(notice?.data);
	}
	await service.jobs.run("bundles.tell");
	expect(await versions()).toEqual([2, 2, 2, 1]);
});

test("a start with unchanged or renamed bundles announces nothing", async () => {
	await seedCatalogue(service.db);
	const [first] = bundles.filter(({ code }) => code === "professional");
	if (first === undefined) throw new Error("the bundle does not exist");
	await recordBundle(service.db, { ...first, name: "Pro" });
	await announcement();
	expect(await versions()).toEqual([1, 1, 1, 1]);
});

test("a release with one more product is announced to the tenants on the bundle of all products", async () => {
	const enterprise = openDesk(service);
	await enterprise.ask("POST", "", { plan: "PROFESSIONAL" });
	const [all] = bundles.filter(({ code }) => code === "enterprise");
	if (all === undefined) throw new Error("the bundle enterprise does not exist");
	await recordBundle(service.db, { ...all, products: all.products.slice(0, -1) });
	await announcement();
	await expect
		.poll(() => enterprise.snapshot())
		.toMatchObject({ version: 2, products: all.products.slice(0, -1) });
	await seedCatalogue(service.db);
	await announcement();
	await expect.poll(() => enterprise.snapshot()).toMatchObject({ version: 3, products: all.products });
});

test("an announcement works in batches, and resumes after an interruption with the same snapshots", async () => {
	await recordBundle(service.db, professional);
	await announcement(1, AbortSignal.abort());
	expect(await versions()).toEqual([1, 1, 1, 1]);
	await announcement(1);
	expect(await versions()).toEqual([2, 2, 2, 1]);
});

test("a bundle that changes while it is announced is announced again to every tenant on it", async () => {
	await recordBundle(service.db, professional);
	const inFlight = await findBundleAnnouncement(service.db);
	if (inFlight === undefined) throw new Error("the change is not announced");
	await recordBundle(service.db, { ...professional, products: ["ordering"] });
	// The announcement of the first change continues, and ends: neither counts for the second change.
	const last = "ffffffff-ffff-ffff-ffff-ffffffffffff";
	await recordAnnounced(service.db, { ...inFlight, until: last });
	await recordAnnounced(service.db, { ...inFlight, until: undefined });
	await announcement();
	for (const desk of desks)
		expect(await desk.snapshot()).toMatchObject({ version: 2, products: ["ordering"] });
});
