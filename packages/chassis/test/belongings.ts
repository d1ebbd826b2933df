import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Database, inTenant } from "@lango/postgres";
import { defineBakery } from "./bakery.ts";

/** The bakery with tables of its own. */
export const ovenBakery = () =>
	defineBakery({ migrations: [{ name: "ovens", folder: join(import.meta.dirname, "ovens") }] });

export type Belongings = {
	subject?: string;
	/** When everything was changed. */
	at?: Date;
	/** Distinguishes the rows from those of another tenant. */
	mark: string;
	/** The number of its oven. */
	place?: number;
	/** The user who assigned the role; null: it is the first role. */
	assignedBy?: string | null;
};

/** Gives a tenant something in every table that has a tenant_id. */
export async function give(db: Database, tenantId: string, belongings: Belongings): Promise<void> {
	const { subject = randomUUID(), at = new Date(), mark, place = 1, assignedBy = "owner" } = belongings;
	await inTenant(db, tenantId, async (tx) => {
		await tx.query(
			`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
			 values ($2, $1, $3, $3, 'services', false, 'active', '{}', $4)`,
			[tenantId, randomUUID(), mark, at],
		);
		const [role] = await tx.query<{ id: string }>(
			"insert into roles (tenant_id, role_code) values ($1, 'oven_keeper') returning id",
			[tenantId],
		);
		await tx.query(
			`insert into role_permissions (tenant_id, role_id, permission_id)
			 select $1, $2, id from permissions where permission_code = any ($3::text[])`,
			[tenantId, role?.id, ["bakery.loaves.view", `bakery.loaves.${mark === "old" ? "change" : "view_own"}`]],
		);
		const [user] = await tx.query<{ id: string }>(
			`insert into users (tenant_id, auth_service_user_id, email, name, status, global_roles, first_role, claims_issued_at,
			                    sync_status, created_at, updated_at)
			 values ($1, $2, $3, $3, 'active', '{}', 'guest', $4, 'jit', $4, $4) returning id`,
			[tenantId, subject, mark, at],
		);
		await tx.query(
			`insert into user_role_assignments (tenant_id, user_id, role_id, assigned_by, assigned_at)
			 values ($1, $2, $3, $4, $5)`,
			[tenantId, user?.id, role?.id, assignedBy, at],
		);
		await tx.query(
			`insert into api_keys (id, secret_hash, tenant_id, name, permissions, created_at)
			 values ($2, '\\x00', $1, $3, '{}', $4)`,
			[tenantId, randomUUID(), mark, at],
		);
		await tx.query(
			`insert into audit_log (tenant_id, occurred_at, actor_kind, actor_id, action, subject, detail)
			 values ($1, $3, 'system', 'test', 'test', $2, '{}')`,
			[tenantId, mark, at],
		);
		await tx.query(
			`insert into service_config (tenant_id, key, value, changed_by, changed_at)
			 values ($1, 'opens', to_jsonb($2::text), 'test', $3), ($1, 'only.' || $2, '1', 'test', $3)`,
			[tenantId, mark, at],
		);
		await tx.query("insert into ovens (tenant_id, place, heat) values ($1, $2, 200)", [tenantId, place]);
		await tx.query(
			"insert into shifts (tenant_id, user_id, day) values ($1, $2, '2026-05-01'), ($1, $2, $3)",
			[tenantId, user?.id, mark === "old" ? "2026-05-02" : "2026-05-03"],
		);
	});
}
