import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { seedDemoSubscriptions } from "../src/demo.ts";
import { snapshotAt } from "../src/rules/lifecycle/state.ts";
import { findSubscription } from "../src/snapshots/snapshot.store.ts";
import { settleAll } from "./settle-all.ts";
import { setUpService } from "./test-service.ts";

const first = new Date("2026-03-01T12:00:00Z");
const daysAfter = (days: number) => new Date(first.getTime() + days * 86_400_000);
const service = setUpService();
let tenants: Array<{ slug: string; id: string }>;
beforeEach(() => {
	tenants = ["lango", "uhai", "kahawa", "duka"].map((slug) => ({ slug, id: randomUUID() }));
});

const seed = (now: Date) => seedDemoSubscriptions(service.db, { tenants, now });
async function seen(slug: string, now: Date) {
	const record = await findSubscription(service.db, tenants.find((tenant) => tenant.slug === slug)?.id ?? "");
	return record === undefined ? undefined : snapshotAt(record, now);
}

describe("the demo tenants", () => {
	test.each([0, 20, 60, 400, 2_000])("started again %i days later, match their description", async (days) => {
		await seed(first);
		await seed(daysAfter(days));
		const now = daysAfter(days);
		expect(await seen("uhai", now)).toMatchObject({ plan: "PROFESSIONAL", status: "ACTIVE", access: "full" });
		expect(await seen("kahawa", now)).toMatchObject({
			plan: "STARTER",
			status: "TRIAL",
			products: ["ordering", "pos", "auth"],
		});
		expect(await seen("duka", now)).toMatchObject({
			plan: "GROWTH",
			status: "EXPIRED",
			access: "read_only",
			features: [],
		});
		expect(await seen("lango", now)).toBeUndefined();
	});

	test("last for weeks without a start: uhai half a year, kahawa a week", async () => {
		await seed(first);
		expect(await seen("uhai", daysAfter(179))).toMatchObject({ status: "ACTIVE" });
		expect(await seen("kahawa", daysAfter(7))).toMatchObject({ status: "TRIAL" });
	});

	test("match their description after daily settlements", async () => {
		await seed(first);
		const failed: unknown[] = [];
		for (const days of [0, 1, 5, 7]) {
			const onError = (error: unknown) => failed.push(error);
			await settleAll(service, { now: daysAfter(days), onError });
		}
		const now = daysAfter(7);
		expect(await seen("uhai", now)).toMatchObject({ plan: "PROFESSIONAL", status: "ACTIVE" });
		expect(await seen("kahawa", now)).toMatchObject({ plan: "STARTER", status: "TRIAL" });
		expect(await seen("duka", now)).toMatchObject({ plan: "GROWTH", status: "EXPIRED", access: "read_only" });
		const requested = await service.db.query(
			"select 1 from outbox where type = 'subscription.billing.requested'",
		);
		expect([requested, failed]).toEqual([[], []]);
	});

	test("are unchanged by a second start on the same day", async () => {
		await seed(first);
		const before = await Promise.all(["uhai", "kahawa", "duka"].map((slug) => seen(slug, first)));
		await seed(daysAfter(1));
		expect(await Promise.all(["uhai", "kahawa", "duka"].map((slug) => seen(slug, first)))).toEqual(before);
	});

	test("keep the changes made by users", async () => {
		await seed(first);
		const kahawa = tenants.find(({ slug }) => slug === "kahawa")?.id ?? "";
		await inTenant(service.db, kahawa, (tx) =>
			tx.query(
				`update subscriptions set version = 2, period_started_at = $1, period_ends_at = $2, expires_at = $2, grace_until = $3`,
				[first, daysAfter(1), daysAfter(2)],
			),
		);
		await seed(daysAfter(1));
		expect(await seen("kahawa", daysAfter(1))).toMatchObject({
			status: "EXPIRED",
			access: "grace",
			version: 2,
		});
	});
});
