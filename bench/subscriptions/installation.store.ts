import { withAdmin } from "@lango/postgres";
import type pg from "pg";
import { settleTables } from "../settle-tables.ts";

/** The id of a tenant by its number, which starts at 1. */
export const tenantIdOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Limits that no measurement reaches. */
const limits = {
	max_riders: 15,
	max_orders_per_day: 1_000_000_000,
	max_admins: 3,
	max_emails_per_day: 2_000,
};

/**
 * Fills the tables of the subscription service with tenants on a plan of the bench, paid for the current
 * month. The URL is that of the database's administrator, who bypasses row-level security. The service must
 * have created the catalogue before.
 */
export async function fillSubscriptions(url: string, tenants: number): Promise<void> {
	await withAdmin(url, async (client) => {
		await client.query("insert into plans (code, name, position) values ('BENCH', 'Bench', 9999)");
		await client.query(
			`insert into plan_versions (plan_code, version, bundle_code, price_minor, currency, billing_interval, trial_days,
			                            grace_days, features, limits)
			 values ('BENCH', 1, 'professional', 450000, 'KES', 'month', 14, 7,
			         array['customer_portal', 'loyalty_program', 'multi_outlet'], $1)`,
			[limits],
		);
		await client.query(
			`insert into subscriptions (tenant_id, plan_version_id, period_started_at, period_ends_at, expires_at, grace_until, next_due_at)
			 select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, v.id, now() - interval '10 days',
			        now() + interval '20 days', now() + interval '34 days', now() + interval '41 days', now() + interval '20 days'
			   from generate_series(1, $1::int) n cross join plan_versions v where v.plan_code = 'BENCH'`,
			[tenants],
		);
		await settleTables(client);
	});
}

/** Removes earlier consumptions, so that every run begins with the same state. */
export async function clearConsumptions(url: string): Promise<void> {
	await withAdmin(url, async (client) => {
		await client.query("truncate usage_consumptions");
		await client.query("update usage_counters set used = 0");
		await client.query("vacuum (analyze) usage_counters");
		await client.query("checkpoint");
	});
}

/** The total consumption by the counters and by the consumptions, which must be equal. */
export async function sumConsumed(url: string): Promise<{ counted: number; consumed: number }> {
	return withAdmin(url, async (client) => {
		const { rows } = await client.query<{ counted: string; consumed: string }>(
			`select (select coalesce(sum(used), 0) from usage_counters) as counted,
			        (select coalesce(sum(value), 0) from usage_consumptions) as consumed`,
		);
		return { counted: Number(rows[0]?.counted), consumed: Number(rows[0]?.consumed) };
	});
}

/** Reads one row by its key: the floor of a snapshot that is not cached. */
export async function readRow(pool: pg.Pool, tenantId: string): Promise<unknown> {
	const { rows } = await pool.query({
		name: "row",
		text: "select * from subscriptions where tenant_id = $1",
		values: [tenantId],
	});
	return rows[0];
}

/**
 * Calls the database function of the service with the service's arguments. Throws an Error unless it
 * consumed.
 */
export async function consumeBySql(pool: pg.Pool, tenantId: string, id: string): Promise<void> {
	const now = new Date();
	const date = now.toISOString().slice(0, 10);
	const { rows } = await pool.query<{ outcome: string }>({
		name: "consume",
		text: `select outcome, used, overage, is_due
		   from consume_usage($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		values: [
			tenantId,
			1,
			id,
			"order_count",
			"max_orders_per_day",
			1,
			limits.max_orders_per_day,
			limits.max_orders_per_day,
			`day:${date}`,
			new Date(date),
			`day:${date}`,
			new Date(date),
			null,
			null,
			now,
		],
	});
	if (rows[0]?.outcome !== "consumed") throw new Error(`the function returned ${rows[0]?.outcome}`);
}
