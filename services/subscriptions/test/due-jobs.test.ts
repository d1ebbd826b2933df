import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { besideOthers } from "@lango/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { settleTenant } from "../src/subscriptions/settle-tenant.ts";
import { openDesk, setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();
beforeEach(async () => {
	await removeJobs();
	await desk.ask("POST", "", { plan: "GROWTH" });
});

const on = (text: string) => {
	service.clock.now = new Date(text);
};
const removeJobs = () => service.db.query("delete from pgboss.job where name like 'subscriptions.settle%'");
/** The tenant's jobs, with the seconds until each starts. */
const jobs = (tenantId = desk.tenantId) =>
	service.db.query<{ state: string; seconds: number }>(
		`select state::text, round(extract(epoch from start_after - created_on))::int as seconds from pgboss.job
		  where name = 'subscriptions.settle' and data ->> 'id' = $1 order by created_on`,
		[tenantId],
	);
/** Makes the tenant's job due by the database's clock. */
const jobsAreDue = () =>
	service.db.query(
		"update pgboss.job set start_after = now() where name = 'subscriptions.settle' and state = 'created'",
	);
const eventTypes = async (of = desk) =>
	(await of.events()).map(({ type }) => type.replace("subscription.", ""));
const recoveryScan = () => service.jobs.run("subscriptions.settle.sweep");
const daySeconds = 86_400;

describe("the job of a tenant", () => {
	test("starts when the next step is due, and every change moves it", async () => {
		expect(await jobs()).toEqual([{ state: "created", seconds: 11 * daySeconds }]);
		await desk.payFor("GROWTH");
		const initial = await jobs();
		expect(initial).toHaveLength(1);
		// Paid on the 15th until 15 April, counted from the payment.
		const [row] = await service.db.query<{ seconds: number }>(
			`select round(extract(epoch from start_after - now()))::int as seconds from pgboss.job
			  where name = 'subscriptions.settle' and data ->> 'id' = $1`,
			[desk.tenantId],
		);
		expect(Math.abs((row?.seconds ?? 0) - 31 * daySeconds)).toBeLessThan(60);
	});

	test("is committed with its change or not at all", async () => {
		await removeJobs();
		await expect(
			service.db.transaction(async (tx) => {
				await settleTenant({ ...service.parts, db: tx }, desk.tenantId);
				throw new Error("the process ends here");
			}),
		).rejects.toThrow("ends here");
		expect(await jobs()).toEqual([]);
		await settleTenant(service.parts, desk.tenantId);
		expect(await jobs()).toHaveLength(1);
	});

	test("settles the tenant at the due time, one second after the change, without a recovery scan", async () => {
		on("2026-03-12T11:59:59Z");
		await settleTenant(service.parts, desk.tenantId);
		expect(await eventTypes()).toEqual(["entitlements_changed"]);
		on("2026-03-12T12:00:00Z");
		await until(async () => {
			await service.jobs.runDue();
			return (await eventTypes()).includes("trial_ending");
		});
		// The next job starts at the end of the trial.
		expect((await jobs()).filter(({ state }) => state === "created")).toEqual([
			{ state: "created", seconds: 3 * daySeconds },
		]);
	});

	test("that runs early changes nothing and is scheduled again", async () => {
		const before = await desk.snapshot();
		await jobsAreDue();
		await service.jobs.runDue();
		expect([await eventTypes(), await desk.snapshot()]).toEqual([["entitlements_changed"], before]);
		expect((await jobs()).map(({ state, seconds }) => [state, seconds])).toContainEqual([
			"created",
			11 * daySeconds,
		]);
	});

	test("that runs late or twice applies every step in order and once", async () => {
		on("2026-06-01T12:00:00Z");
		await jobsAreDue();
		await service.jobs.runDue();
		const once = ["entitlements_changed", "trial_ending", "expired", "grace_ended", "entitlements_changed"];
		expect(await eventTypes()).toEqual(once);
		const { version } = await desk.snapshot();
		await service.db.query(
			"update pgboss.job set state = 'created' where name = 'subscriptions.settle' and data ->> 'id' = $1",
			[desk.tenantId],
		);
		await service.jobs.runDue();
		expect([await eventTypes(), (await desk.snapshot()).version]).toEqual([once, version]);
	});

	test("waits for a concurrent change of its tenant; jobs of other tenants do not", async () => {
		const busy = openDesk(service);
		await busy.ask("POST", "", { plan: "GROWTH" });
		on("2026-03-15T12:00:00Z");
		await jobsAreDue();
		let working: Promise<unknown> | undefined;
		await inTenant(
			service.db,
			busy.tenantId,
			besideOthers(async (tx) => {
				await tx.query("select tenant_id from subscriptions where tenant_id = $1 for update", [
					busy.tenantId,
				]);
				working = service.jobs.runDue();
				await until(async () => (await eventTypes()).includes("expired"));
				expect(await eventTypes(busy)).toEqual(["entitlements_changed"]);
			}),
		);
		await working;
		expect(await eventTypes(busy)).toContain("expired");
	});
});

describe("the recovery scan", () => {
	test("finds a tenant whose job was lost, half a minute after it was due", async () => {
		await removeJobs();
		on("2026-03-12T12:00:29Z");
		await recoveryScan();
		expect(await jobs()).toEqual([]);
		on("2026-03-12T12:00:30Z");
		await recoveryScan();
		await recoveryScan();
		expect(await jobs()).toHaveLength(1);
		await service.jobs.runDue();
		expect(await eventTypes()).toEqual(["entitlements_changed", "trial_ending"]);
	});

	test("makes a job due that is scheduled later than its row", async () => {
		on("2026-03-12T12:01:00Z");
		await recoveryScan();
		await service.jobs.runDue();
		expect(await eventTypes()).toEqual(["entitlements_changed", "trial_ending"]);
	});

	test("finds a tenant that was seeded before the queue existed", async () => {
		const tenantId = randomUUID();
		const [startedAt, endsAt] = [new Date("2026-03-01T00:00:00Z"), new Date("2026-03-15T00:00:00Z")];
		await recordSubscription(service.db, {
			tenantId,
			plan: "GROWTH",
			addOns: [],
			isRenewed: true,
			trial: { startedAt, endsAt },
			period: null,
			expiresAt: endsAt,
			graceUntil: new Date("2026-03-22T00:00:00Z"),
		});
		expect(await jobs(tenantId)).toEqual([]);
		await recoveryScan();
		await service.jobs.runDue();
		expect((await jobs(tenantId)).map(({ state }) => state).toSorted()).toEqual(["completed", "created"]);
	});

	test("settles tenants after a hundred that always fail", async () => {
		const startedAt = new Date("2026-02-01T00:00:00Z");
		const endsAt = new Date("2026-03-01T00:00:00Z");
		const begin = (tenantId: string) =>
			recordSubscription(service.db, {
				tenantId,
				plan: "GROWTH",
				addOns: [],
				isRenewed: true,
				trial: null,
				period: { startedAt, endsAt },
				expiresAt: new Date("2026-03-15T00:00:00Z"),
				graceUntil: new Date("2026-03-22T00:00:00Z"),
			});
		const failing = Array.from({ length: 101 }, () => `00000000${randomUUID().slice(8)}`);
		const last = `ffffffff${randomUUID().slice(8)}`;
		for (const tenantId of failing) {
			await begin(tenantId);
			await inTenant(service.db, tenantId, (tx) =>
				tx.query(
					"update subscriptions set time_zone = 'Nowhere', balance_minor = 450000, balance_currency = 'KES'",
				),
			);
		}
		await begin(last);
		await recoveryScan();
		await service.jobs.runDue();
		const statesOf = async (tenantId: string) => (await jobs(tenantId)).map(({ state }) => state);
		expect(await statesOf(last)).toContain("completed");
		for (const tenantId of failing) expect(await statesOf(tenantId)).toEqual(["retry"]);
		for (const tenantId of failing)
			await inTenant(service.db, tenantId, (tx) => tx.query("delete from subscriptions"));
	});

	test("leaves a tenant with a dead job to an operator", async () => {
		on("2026-03-12T12:01:00Z");
		await service.db.query(
			`update pgboss.job set name = 'subscriptions.settle.dead', start_after = now(), singleton_key = null, policy = 'standard'
			  where name = 'subscriptions.settle' and data ->> 'id' = $1`,
			[desk.tenantId],
		);
		await recoveryScan();
		expect(await jobs()).toEqual([]);
	});
});

test("a tenant with a test clock is moved only by that clock, whatever its job does", async () => {
	await desk.daysPass(0);
	on("2026-06-01T12:00:00Z");
	await jobsAreDue();
	await recoveryScan();
	await service.jobs.runDue();
	expect(await eventTypes()).toEqual(["entitlements_changed"]);
	await desk.daysPass(11);
	expect(await eventTypes()).toEqual(["entitlements_changed", "trial_ending"]);
});
