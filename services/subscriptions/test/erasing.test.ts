import { randomUUID } from "node:crypto";
import { recordAudit } from "@lango/access";
import { authUserDeleted, tenantDeleted } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import { expect, test } from "vitest";
import { receivePayment } from "../src/billing/receive-payment.ts";
import { openDesk, until } from "./desk.ts";
import { setUpService } from "./test-service.ts";

const service = setUpService();

const tables = [
	"subscriptions",
	"subscription_add_ons",
	"paid_lines",
	"billing_operations",
	"received_payments",
	"quotes",
	"tenant_calendars",
	"test_clocks",
	"sandbox_answers",
	"overage_bills",
	"usage_counters",
	"usage_reports",
	"usage_consumptions",
	"overage_lines",
	"past_terms",
	"tenant_suspensions",
] as const;
/** The tables with rows of a tenant. */
async function traces(tenantId: string): Promise<string[]> {
	return acrossTenants(service.db, async (tx) => {
		const found: string[] = [];
		for (const table of tables) {
			const rows = await tx.query(`select 1 from ${table} where tenant_id = $1 limit 1`, [tenantId]);
			if (rows.length > 0) found.push(table);
		}
		return found;
	});
}

/** A report, a consumption, an overage, and the bill of another. */
async function goBeyond(tenantId: string): Promise<void> {
	const at = service.clock.now.toISOString();
	const post = (path: string, payload: object) =>
		service.app.inject({
			method: "POST",
			url: `/api/v1/tenants/${tenantId}${path}`,
			headers: { "x-api-key": service.apiKey },
			payload,
		});
	const used = { id: randomUUID(), metric: "order_count", value: 1 };
	expect((await post("/usage", { events: [{ ...used, at }] })).statusCode).toBe(200);
	const consumed = { ...used, limit: "max_orders_per_day" };
	expect((await post("/usage/consume", consumed)).statusCode).toBe(200);
	await inTenant(service.db, tenantId, async (tx) => {
		await tx.query(
			`insert into overage_lines (tenant_id, metric, period_starts_at, unit_price_minor, currency, units, taken_units)
			 values ($1, 'order_count', $2, 1, 'KES', 1, 1)`,
			[tenantId, at],
		);
		await tx.query(
			`insert into overage_bills (id, tenant_id, period_ends_at, currency, charge_minor, balance_minor, amount_minor, lines,
			                            status, attempt, billed_at, settled_at)
			 values ($2, $1, $3, 'KES', 1, 0, 1, '[]', 'paid', 1, $3, $3)`,
			[tenantId, randomUUID(), at],
		);
	});
}

test("erasing a tenant leaves only its audit log; other tenants and late payments are unaffected", async () => {
	const [gone, stays] = [openDesk(service), openDesk(service)];
	for (const desk of [gone, stays]) {
		service.clock.now = new Date("2026-03-01T12:00:00Z");
		await desk.payFor("GROWTH");
		await desk.quote("STARTER");
		await desk.answers("pays");
		await goBeyond(desk.tenantId);
		await desk.daysPass(1);
	}
	const { tenantId } = gone;
	expect((await traces(tenantId)).length).toBe(13);
	await recordEvent(service.db, tenantDeleted, {
		subject: tenantId,
		tenantId,
		now: service.clock.now,
		data: { tenant_id: tenantId, slug: "gone", version: 2 },
	});
	await until(async () => (await traces(tenantId)).length === 0);
	expect((await gone.ask("GET")).body["code"]).toBe("no_subscription");
	expect((await traces(stays.tenantId)).length).toBe(13);
	await receivePayment(service.parts, {
		tenantId,
		operationId: randomUUID(),
		paymentId: randomUUID(),
		amountMinor: 5n,
		currency: "KES",
	});
	expect(await traces(tenantId)).toEqual([]);
});

test("erasing a user removes their addresses from the audit log of every tenant, and no others", async () => {
	const [gone, stays] = [randomUUID(), randomUUID()];
	const note = (tenantId: string | undefined, id: string, kind: "user" | "key" = "user") => {
		const changed = { action: "plan.changed", subject: "plan", detail: {}, at: service.clock.now };
		const entry = { ...changed, tenantId, actor: { kind, id }, requestId: "r", address: "10.1.2.3" };
		const write = (db: Database) => recordAudit(db, entry);
		return tenantId === undefined ? write(service.db) : inTenant(service.db, tenantId, write);
	};
	for (const tenantId of [randomUUID(), randomUUID(), undefined]) await note(tenantId, gone);
	await note(randomUUID(), stays);
	await note(randomUUID(), gone, "key");
	const addresses = (id: string) =>
		acrossTenants(service.db, (tx) =>
			tx.query<{ actor_kind: string; address: string | null }>(
				`select actor_kind, address from (
				   select id, actor_kind, actor_id, address from audit_log
				   union all select id, actor_kind, actor_id, address from platform_audit_log) entry
				  where actor_id = $1 order by id`,
				[id],
			),
		);
	await recordEvent(service.db, authUserDeleted, {
		subject: gone,
		now: service.clock.now,
		data: { user_id: gone, version: 2 },
	});
	const erased = { actor_kind: "user", address: null };
	await until(async () => (await addresses(gone))[0]?.address === null);
	expect(await addresses(gone)).toEqual([erased, erased, erased, { actor_kind: "key", address: "10.1.2.3" }]);
	expect(await addresses(stays)).toEqual([{ actor_kind: "user", address: "10.1.2.3" }]);
});
