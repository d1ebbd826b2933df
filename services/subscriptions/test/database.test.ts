import { randomUUID } from "node:crypto";
import { acrossTenants, inTenant, listKeysWithoutTenant, listUnguardedTables } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { setUpService } from "./test-service.ts";

const now = new Date("2026-03-01T12:00:00Z");
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const service = setUpService();

const record = (tenantId: string) =>
	recordSubscription(service.db, {
		tenantId,
		plan: "GROWTH",
		addOns: ["pos"],
		trial: { startedAt: now, endsAt: later(14) },
		period: null,
		expiresAt: later(14),
		graceUntil: later(21),
		isRenewed: true,
	});
const countOf = (table: "subscriptions" | "subscription_add_ons") =>
	`select count(*)::int as rows from ${table}`;

describe("tenancy", () => {
	test("every table with a tenant has a forced policy, and its keys carry the tenant", async () => {
		expect(await listUnguardedTables(service.db)).toEqual([]);
		expect(await listKeysWithoutTenant(service.db)).toEqual([]);
		const [row] = await service.db.query(
			"select count(*)::int as tables from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attname = 'tenant_id' and c.relkind = 'r' and c.relname like 'subscription%'",
		);
		expect(row).toEqual({ tables: 2 });
	});

	test("a tenant sees only its own rows, and without a tenant there are none", async () => {
		const [one, other] = [randomUUID(), randomUUID()];
		await record(one);
		await record(other);
		for (const table of ["subscriptions", "subscription_add_ons"] as const) {
			expect(await inTenant(service.db, one, (tx) => tx.query(countOf(table)))).toEqual([{ rows: 1 }]);
			expect(await service.db.query(countOf(table))).toEqual([{ rows: 0 }]);
			const [all] = await acrossTenants(service.db, (tx) => tx.query<{ rows: number }>(countOf(table)));
			expect(all?.rows).toBeGreaterThanOrEqual(2);
		}
	});

	test("a row of another tenant cannot be written", async () => {
		const [one, other] = [randomUUID(), randomUUID()];
		await record(other);
		await expect(
			inTenant(service.db, one, (tx) =>
				tx.query(
					"insert into subscriptions (tenant_id, plan_version_id, trial_started_at, trial_ends_at, expires_at, grace_until) select $1, id, now(), now(), now(), now() from plan_versions limit 1",
					[other],
				),
			),
		).rejects.toThrow(/row-level security/);
		expect(
			await inTenant(service.db, one, (tx) =>
				tx.query("update subscriptions set version = 99 returning tenant_id"),
			),
		).toEqual([]);
	});
});

describe("a subscription", () => {
	test("is recorded once: a second one does not replace it", async () => {
		const tenantId = randomUUID();
		expect([await record(tenantId), await record(tenantId)]).toEqual([true, false]);
	});

	test.each<[string, string]>([
		["trial_ends_at = null, trial_started_at = null", "subscriptions__trial_or_period"],
		["trial_started_at = trial_ends_at + interval '1 day'", "subscriptions__trial_order"],
		["period_ends_at = trial_ends_at", "subscriptions__period_order"],
		["expires_at = trial_ends_at - interval '1 second'", "subscriptions__expiry_order"],
		["grace_until = expires_at - interval '1 second'", "subscriptions__expiry_order"],
		["pending_from = now()", "subscriptions__pending_order"],
		["version = 0", "subscriptions__version_positive"],
	])("with boundaries out of order (%s) is refused by %s", async (change, constraint) => {
		const tenantId = randomUUID();
		await record(tenantId);
		await expect(
			inTenant(service.db, tenantId, (tx) => tx.query(`update subscriptions set ${change}`)),
		).rejects.toThrow(constraint);
	});
});
