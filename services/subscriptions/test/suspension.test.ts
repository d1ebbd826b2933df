import { tenantSuspended, tenantUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { acrossTenants, inTenant } from "@lango/postgres";
import { beforeEach, expect, test } from "vitest";
import { recordTenantStatus } from "../src/tenants/tenant-status.store.ts";
import { setUpDesk, until } from "./desk.ts";
import { settleAll } from "./settle-all.ts";

const { service, desk } = setUpDesk();
let version: number;
beforeEach(() => {
	version = 1;
});

/** Moves to a moment, and settles everything due by then. */
async function on(text: string): Promise<void> {
	service.clock.now = new Date(text);
	await settleAll(service, { now: service.clock.now });
}

const about = () => ({ subject: desk.tenantId, tenantId: desk.tenantId, now: service.clock.now });

async function suspend(): Promise<void> {
	version += 1;
	const data = { tenant_id: desk.tenantId, slug: "acme", version };
	await recordEvent(service.db, tenantSuspended, { ...about(), data });
	await until(async () => (await storedVersion()) === version);
}

async function reactivate(): Promise<void> {
	version += 1;
	const shown = { tenant_id: desk.tenantId, slug: "acme", name: "Acme", status: "active", version };
	const none = { use_case: null, org_size: null, branding: { logo_url: null, colour: null } };
	const data = { ...shown, ...none, time_zone: "Africa/Nairobi", currency: "KES", locale: "en" };
	await recordEvent(service.db, tenantUpdated, { ...about(), data });
	await until(async () => (await storedVersion()) === version);
	await service.jobs.runDue();
}

async function storedVersion(): Promise<number | undefined> {
	const [row] = await acrossTenants(service.db, (tx) =>
		tx.query<{ version: number }>("select version from tenant_suspensions where tenant_id = $1", [
			desk.tenantId,
		]),
	);
	return row?.version;
}

const requested = async () =>
	(await desk.events("subscription.billing.requested")).map(({ data }) => [data["kind"], data["attempt"]]);
const eventTypes = async () =>
	(await desk.events())
		.map(({ type }) => type.replace("subscription.", ""))
		.filter((type) => ["trial_ending", "expired", "grace_ended"].includes(type));

test("a suspended tenant receives no renewal request, its time continues, and it is asked when it is reactivated", async () => {
	await desk.payFor("GROWTH");
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

test("a tenant that expired meanwhile receives one event, and one request when it is reactivated", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	await suspend();
	await on("2026-04-16T12:00:00Z");
	await on("2026-05-20T12:00:00Z");
	// Its trial was announced before it paid.
	const sinceTrial = ["trial_ending", "expired", "expired", "grace_ended"];
	expect(await eventTypes()).toEqual(sinceTrial);
	expect(await requested()).toHaveLength(1);
	await reactivate();
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	expect(await eventTypes()).toEqual(sinceTrial);
	expect(await desk.snapshot()).toMatchObject({ status: "EXPIRED", access: "read_only" });
});

test("credit of a tenant that expired meanwhile pays a period from the reactivation, and nothing is announced twice", async () => {
	await desk.payFor("GROWTH");
	const [checkout] = await desk.events("subscription.billing.requested");
	await service.payLate(desk.tenantId, String(checkout?.data["operation_id"]));
	const price = (await desk.books()).balance;
	expect(price).toBeGreaterThan(0);
	await suspend();
	await on("2026-04-16T12:00:00Z");
	await on("2026-09-20T12:00:00Z");
	const before = await eventTypes();
	await reactivate();
	await until(async () => (await desk.snapshot()).status === "ACTIVE");
	expect((await desk.ask("GET", "/billing")).body).toMatchObject({
		period_started_at: "2026-09-20T12:00:00.000Z",
	});
	expect((await desk.books()).balance).toBe(0);
	expect(await eventTypes()).toEqual(before);
});

test("a tenant suspended until its retries ended is asked once, and a payment within a day counts", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	await suspend();
	await on("2026-09-20T12:00:00Z");
	await reactivate();
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	const [renewal] = (await desk.events("subscription.billing.requested")).slice(-1);
	await service.payLate(desk.tenantId, String(renewal?.data["operation_id"]));
	expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
});

test("an open request is not repeated during the suspension, and a payment is accepted", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	await on("2026-04-15T12:00:00Z");
	await suspend();
	await on("2026-04-20T12:00:00Z");
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	const [renewal] = (await desk.events("subscription.billing.requested")).slice(-1);
	await service.payLate(desk.tenantId, String(renewal?.data["operation_id"]));
	expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
});

test("credit received meanwhile lowers the request at the reactivation, and requests nothing before", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	await on("2026-04-15T12:00:00Z");
	await suspend();
	await inTenant(service.db, desk.tenantId, (tx) =>
		tx.query("update subscriptions set balance_minor = 1000, balance_currency = 'KES'"),
	);
	await on("2026-04-16T12:00:00Z");
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
	await reactivate();
	// Its replacement and the due retry are one request.
	expect((await requested()).slice(1)).toEqual([
		["renewal", 1],
		["renewal", 2],
	]);
});

test("its trial ends without a warning, even a late one", async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	await suspend();
	await on("2026-03-13T12:00:00Z");
	await on("2026-03-16T12:00:00Z");
	await reactivate();
	expect(await eventTypes()).toEqual(["expired"]);
});

test("a tenant reactivated before its trial ends is warned then", async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	await suspend();
	await on("2026-03-13T12:00:00Z");
	await reactivate();
	expect(await eventTypes()).toEqual(["trial_ending"]);
});

test("overage of a period that ended meanwhile is billed at the reactivation, and no bill is requested before", async () => {
	await desk.payFor("GROWTH");
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
	expect(await settleAll(service, { now: service.clock.now })).toBe(0);
	await reactivate();
	const since = (await requested()).slice(before.length).map(([kind]) => kind);
	expect(since.toSorted()).toEqual(["overage", "renewal"]);
});

test("a reactivation whose job was lost is found by the recovery scan", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	await suspend();
	await on("2026-04-16T12:00:00Z");
	version += 1;
	await inTenant(service.db, desk.tenantId, (tx) =>
		recordTenantStatus(tx, { ...of(), isSuspended: false, version }),
	);
	await on("2026-04-16T12:00:01Z");
	expect((await requested()).slice(1)).toEqual([["renewal", 1]]);
});

test("an event older than the stored version changes nothing", async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	version = 4;
	await reactivate();
	expect(await recordTenantStatus(service.db, { ...of(), isSuspended: true, version: 3 })).toBe(false);
	await on("2026-03-13T12:00:00Z");
	expect(await eventTypes()).toEqual(["trial_ending"]);
});

const of = () => ({ tenantId: desk.tenantId });

/** A priced unit beyond a limit in the current period. */
async function goBeyond(): Promise<void> {
	await inTenant(service.db, desk.tenantId, (tx) =>
		tx.query(
			`insert into overage_lines (tenant_id, metric, period_starts_at, unit_price_minor, currency, units)
			 select $1, 'order_count', period_started_at, 250, 'KES', 1 from subscriptions where tenant_id = $1
			 on conflict do nothing`,
			[desk.tenantId],
		),
	);
}
