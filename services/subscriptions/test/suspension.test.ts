import { tenantSuspended, tenantUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { acrossTenants, inTenant } from "@lango/postgres";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { recordTenantStatus } from "../src/tenants/tenant-status.store.ts";
import { type Desk, openDesk, payFor, until } from "./desk.ts";
import { settleAll } from "./settle-all.ts";
import { type Standing, standUp } from "./standing.ts";

let standing: Standing;
let desk: Desk;
let version: number;
beforeAll(async () => {
	standing = await standUp();
});
afterAll(() => standing.end());
beforeEach(() => {
	standing.clock.now = new Date("2026-03-01T12:00:00Z");
	desk = openDesk(standing);
	version = 1;
});

/** Goes to a moment, and lets happen what has fallen due by then. */
async function on(text: string): Promise<void> {
	standing.clock.now = new Date(text);
	await settleAll(standing, { now: standing.clock.now });
}

const about = () => ({ subject: desk.tenantId, tenantId: desk.tenantId, now: standing.clock.now });

async function suspend(): Promise<void> {
	version += 1;
	const data = { tenant_id: desk.tenantId, slug: "acme", version };
	await recordEvent(standing.db, tenantSuspended, { ...about(), data });
	await until(async () => (await toldVersion()) === version);
}

async function reactivate(): Promise<void> {
	version += 1;
	const shown = { tenant_id: desk.tenantId, slug: "acme", name: "Acme", status: "active", version };
	const none = { use_case: null, org_size: null, branding: { logo_url: null, colour: null } };
	const data = { ...shown, ...none, time_zone: "Africa/Nairobi", currency: "KES", locale: "en" };
	await recordEvent(standing.db, tenantUpdated, { ...about(), data });
	await until(async () => (await toldVersion()) === version);
	await standing.jobs.runDue();
}

async function toldVersion(): Promise<number | undefined> {
	const [row] = await acrossTenants(standing.db, (tx) =>
		tx.query<{ version: number }>("select version from tenant_standings where tenant_id = $1", [
			desk.tenantId,
		]),
	);
	return row?.version;
}

const requested = async () =>
	(await desk.events("subscription.billing.requested")).map(({ data }) => [data["kind"], data["attempt"]]);
const told = async () =>
	(await desk.events())
		.map(({ type }) => type.replace("subscription.", ""))
		.filter((type) => ["trial_ending", "expired", "grace_ended"].includes(type));

test("a suspended tenant is asked for no renewal, time goes on, and it is asked when it is reactivated", async () => {
	await payFor(standing, desk, "GROWTH");
	await desk.answers("silent");
	await suspend();
	await on("2026-04-16T12:00:00Z");
	expect(await requested()).toEqual([["checkout", 1]]);
	expect(await desk.snapshot()).toMatchObject({ status: "PAST_DUE" });
	await reactivate();
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	await on("2026-04-18T12:00:00Z");
	expect((await requested()).slice(1)).toEqual([
		["renewal", 1],
		["renewal", 2],
	]);
});

test("one that expired meanwhile was told of it once, and is asked once when it is reactivated", async () => {
	await payFor(standing, desk, "GROWTH");
	await desk.answers("silent");
	await suspend();
	await on("2026-04-16T12:00:00Z");
	await on("2026-05-20T12:00:00Z");
	// Before it paid it was told of its trial.
	const sinceTrial = ["trial_ending", "expired", "expired", "grace_ended"];
	expect(await told()).toEqual(sinceTrial);
	expect(await requested()).toHaveLength(1);
	await reactivate();
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	expect(await told()).toEqual(sinceTrial);
	expect(await desk.snapshot()).toMatchObject({ status: "EXPIRED", access: "read_only" });
});

test("credit of one that expired meanwhile pays a period that begins when it is reactivated, and nothing is told twice", async () => {
	await payFor(standing, desk, "GROWTH");
	const [checkout] = await desk.events("subscription.billing.requested");
	await standing.payLate(desk.tenantId, String(checkout?.data["operation_id"]));
	const price = (await desk.books()).balance;
	expect(price).toBeGreaterThan(0);
	await suspend();
	await on("2026-04-16T12:00:00Z");
	await on("2026-09-20T12:00:00Z");
	const before = await told();
	await reactivate();
	await until(async () => (await desk.snapshot()).status === "ACTIVE");
	expect((await desk.ask("GET", "/billing")).body).toMatchObject({
		period_started_at: "2026-09-20T12:00:00.000Z",
	});
	expect((await desk.books()).balance).toBe(0);
	expect(await told()).toEqual(before);
});

test("one suspended until its retries were over is asked once, and what it pays within a day counts", async () => {
	await payFor(standing, desk, "GROWTH");
	await desk.answers("silent");
	await suspend();
	await on("2026-09-20T12:00:00Z");
	await reactivate();
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	const [renewal] = (await desk.events("subscription.billing.requested")).slice(-1);
	await standing.payLate(desk.tenantId, String(renewal?.data["operation_id"]));
	expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
});

test("what is asked already is not asked again while it is suspended, and a payment that comes is taken", async () => {
	await payFor(standing, desk, "GROWTH");
	await desk.answers("silent");
	await on("2026-04-15T12:00:00Z");
	await suspend();
	await on("2026-04-20T12:00:00Z");
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	const [renewal] = (await desk.events("subscription.billing.requested")).slice(-1);
	await standing.payLate(desk.tenantId, String(renewal?.data["operation_id"]));
	expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
});

test("credit that comes meanwhile lowers what is asked for at the reactivation, and asks for nothing before", async () => {
	await payFor(standing, desk, "GROWTH");
	await desk.answers("silent");
	await on("2026-04-15T12:00:00Z");
	await suspend();
	await inTenant(standing.db, desk.tenantId, (tx) =>
		tx.query("update subscriptions set balance_minor = 1000, balance_currency = 'KES'"),
	);
	await on("2026-04-16T12:00:00Z");
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	await reactivate();
	// What takes its place and the retry that is due are one question.
	expect((await requested()).slice(1)).toEqual([
		["renewal", 1],
		["renewal", 2],
	]);
});

test("its trial ends without a warning, also a late one", async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	await suspend();
	await on("2026-03-13T12:00:00Z");
	await on("2026-03-16T12:00:00Z");
	await reactivate();
	expect(await told()).toEqual(["expired"]);
});

test("one reactivated before its trial ends is warned then", async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	await suspend();
	await on("2026-03-13T12:00:00Z");
	await reactivate();
	expect(await told()).toEqual(["trial_ending"]);
});

test("overage of a period that ended meanwhile is billed when it is reactivated, and no bill is asked for again before", async () => {
	await payFor(standing, desk, "GROWTH");
	await goBeyond();
	await on("2026-04-15T12:00:00Z");
	await until(async () => (await desk.snapshot()).status === "ACTIVE");
	await desk.answers("silent");
	const before = await requested();
	expect(before.filter(([kind]) => kind === "overage")).toHaveLength(1);
	await goBeyond();
	await suspend();
	await on("2026-05-15T12:00:01Z");
	expect(await requested()).toEqual(before);
	expect(await settleAll(standing, { now: standing.clock.now })).toBe(0);
	await reactivate();
	const since = (await requested()).slice(before.length).map(([kind]) => kind);
	expect(since.toSorted()).toEqual(["overage", "renewal"]);
});

test("a reactivation that was lost to the jobs is found by the sweep", async () => {
	await payFor(standing, desk, "GROWTH");
	await desk.answers("silent");
	await suspend();
	await on("2026-04-16T12:00:00Z");
	version += 1;
	await inTenant(standing.db, desk.tenantId, (tx) =>
		recordTenantStatus(tx, { ...of(), isSuspended: false, version }),
	);
	await on("2026-04-16T12:00:01Z");
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
});

test("tidings that are older than those known change nothing", async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	version = 4;
	await reactivate();
	expect(await recordTenantStatus(standing.db, { ...of(), isSuspended: true, version: 3 })).toBe(false);
	await on("2026-03-13T12:00:00Z");
	expect(await told()).toEqual(["trial_ending"]);
});

const of = () => ({ tenantId: desk.tenantId });

/** A unit beyond a limit, at a price, in the period there is. */
async function goBeyond(): Promise<void> {
	await inTenant(standing.db, desk.tenantId, (tx) =>
		tx.query(
			`insert into overage_lines (tenant_id, metric, period_starts_at, unit_price_minor, currency, units)
			 select $1, 'order_count', period_started_at, 250, 'KES', 1 from subscriptions where tenant_id = $1`,
			[desk.tenantId],
		),
	);
}
