import { inTenant } from "@lango/postgres";
import { besideOthers, waitForBlockedQueries } from "@lango/testkit";
import { describe, expect, test } from "vitest";
import { type Desk, openDesk, setUpDesk, until } from "./desk.ts";
import { settleAll } from "./settle-all.ts";

const { service, desk } = setUpDesk();

const errors: unknown[] = [];
const pass = (onError: (error: unknown, tenantId: string) => void = (error) => void errors.push(error)) =>
	settleAll(service, { now: service.clock.now, onError });
const on = (text: string) => {
	service.clock.now = new Date(text);
};
const eventTypes = async () => (await desk.events()).map(({ type }) => type.replace("subscription.", ""));

describe("a change that waited for the lock", () => {
	const lockedWhile = (work: () => Promise<void>) =>
		inTenant(
			service.db,
			desk.tenantId,
			besideOthers(async (tx) => {
				await tx.query("select tenant_id from subscriptions where tenant_id = $1 for update", [
					desk.tenantId,
				]);
				await work();
			}),
		);

	test("uses the time after it obtained the lock", async () => {
		await desk.payFor("GROWTH");
		on("2026-04-15T11:59:59Z");
		let cancelling: ReturnType<Desk["ask"]> | undefined;
		await lockedWhile(async () => {
			cancelling = desk.ask("POST", "/cancel");
			await waitForBlockedQueries(service.db);
			on("2026-04-15T12:00:00Z");
		});
		expect((await cancelling)?.body).toMatchObject({ status: "EXPIRED", access: "grace" });
	});
});

test("a plan without a grace period announces both ends together", async () => {
	await desk.own("POST", "/api/v1/admin/plans", { code: "CURT", name: "Curt", position: 990 });
	const terms = {
		bundle: "starter",
		price_minor: 1,
		currency: "KES",
		interval: "month",
		trial_days: 14,
		grace_days: 0,
	};
	const version = { ...terms, features: [], limits: {}, overage: {} };
	expect((await desk.own("POST", "/api/v1/admin/plans/CURT/versions", version)).status).toBe(201);
	await desk.ask("POST", "", { plan: "CURT" });
	on("2026-03-15T12:00:00Z");
	await pass();
	expect((await eventTypes()).slice(-3)).toEqual(["expired", "grace_ended", "entitlements_changed"]);
	expect(await desk.snapshot()).toMatchObject({ status: "EXPIRED", access: "read_only", version: 2 });
});

describe("settling due steps", () => {
	test("announces the end of a trial three days before, its end, and the end of its grace period, once each", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		on("2026-03-12T11:59:59Z");
		await pass();
		expect(await eventTypes()).toEqual(["entitlements_changed"]);
		on("2026-03-12T12:00:00Z");
		await pass();
		await pass();
		expect(await eventTypes()).toEqual(["entitlements_changed", "trial_ending"]);
		on("2026-03-15T12:00:00Z");
		await pass();
		on("2026-03-22T12:00:00Z");
		await pass();
		await pass();
		expect(await eventTypes()).toEqual([
			"entitlements_changed",
			"trial_ending",
			"expired",
			"entitlements_changed",
			"grace_ended",
			"entitlements_changed",
		]);
		const [, , expired, , ended] = await desk.events();
		expect(expired?.data).toEqual({
			tenant_id: desk.tenantId,
			plan: "GROWTH",
			version: 2,
			because: "trial_ended",
			expired_at: "2026-03-15T12:00:00.000Z",
			grace_until: "2026-03-22T12:00:00.000Z",
		});
		expect(ended?.data).toMatchObject({ version: 3, ended_at: "2026-03-22T12:00:00.000Z" });
	});

	test("late does not change what is read, and announces every step in order", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		on("2026-06-01T12:00:00Z");
		const { version: _, ...before } = await desk.snapshot();
		await pass();
		await until(async () => (await desk.snapshot()).version === 2);
		const { version, ...after } = await desk.snapshot();
		expect([after, version]).toEqual([before, 2]);
		expect(await eventTypes()).toEqual([
			"entitlements_changed",
			"trial_ending",
			"expired",
			"grace_ended",
			"entitlements_changed",
		]);
	});

	test("on five replicas concurrently happens once per tenant", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		on("2026-03-15T12:00:00Z");
		await Promise.all([1, 2, 3, 4, 5].map(() => pass()));
		expect((await eventTypes()).filter((type) => type === "expired")).toHaveLength(1);
		expect((await desk.snapshot()).version).toBe(2);
	});

	test("continues with other tenants if one fails", async () => {
		const broken = openDesk(service);
		await broken.payFor("GROWTH");
		await desk.payFor("GROWTH");
		await inTenant(service.db, broken.tenantId, (tx) =>
			tx.query(
				"update subscriptions set time_zone = 'Nowhere', balance_minor = 450000, balance_currency = 'KES'",
			),
		);
		// The second tenant paid in a trial that began on 15 March: its period ends on 29 April.
		on("2026-04-29T12:00:00Z");
		const failed: string[] = [];
		await pass((error, tenantId) => failed.push(`${tenantId} ${(error as Error).name}`));
		expect(failed).toEqual([`${broken.tenantId} RangeError`]);
		expect((await desk.events("subscription.billing.requested")).length).toBe(2);
		await inTenant(service.db, broken.tenantId, (tx) =>
			tx.query("update subscriptions set time_zone = 'Africa/Nairobi'"),
		);
	});

	test("requests the renewal at the end of the period, where the next one begins", async () => {
		await desk.payFor("GROWTH");
		on("2026-04-15T12:00:00Z");
		await pass();
		const [requested] = (await desk.events("subscription.billing.requested")).slice(-1);
		expect(requested?.data).toMatchObject({
			kind: "renewal",
			attempt: 1,
			amount_minor: 450_000,
			lines: [{ what: "plan", code: "GROWTH", amount_minor: 450_000 }],
		});
	});
});

test("no settlement failed unexpectedly", () => {
	expect(errors).toEqual([]);
});
