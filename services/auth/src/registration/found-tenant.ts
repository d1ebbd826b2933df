import type { Database } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import { recordMembership } from "../members/member.store.ts";
import { announceOutlet } from "../outlets/announce-outlet.ts";
import { recordOutlet } from "../outlets/outlet.store.ts";
import { announceTenant } from "../tenants/announce-tenant.ts";
import { recordTenant, type Tenant } from "../tenants/tenant.store.ts";
import type { Entered } from "./enter-tenant.ts";
import type { NewTenant } from "./taken.ts";

/** Records a new tenant; `settleFounder` records its outlet and its administrator. */
export function recordFounding(tx: Database, { name, slug, org_size, use_case }: NewTenant): Promise<Tenant> {
	return recordTenant(tx, { name: name.trim(), slug, orgSize: org_size ?? null, useCase: use_case });
}

/** Creates a new tenant's headquarters and its administrator, and publishes the events of both. */
export async function settleFounder(
	tx: Database,
	{ tenant, user, origin }: { tenant: Tenant; user: { id: string }; origin: Origin },
): Promise<Entered> {
	await announceTenant(tx, tenant, { what: "created", origin });
	const outlet = await recordOutlet(tx, {
		tenantId: tenant.id,
		code: "HQ",
		name: tenant.name,
		useCase: tenant.use_case ?? "services",
		isHq: true,
		settings: {},
	});
	await announceOutlet(tx, { tenant, outlet, origin });
	const roles = ["admin"];
	const status = "active";
	await recordMembership(tx, {
		tenantId: tenant.id,
		userId: user.id,
		roles,
		status,
		statusAgain: status,
		isHq: true,
		replaces: [],
		now: origin.now,
	});
	await recordAudit(tx, origin, {
		tenantId: tenant.id,
		action: "tenant.created",
		subject: tenant.id,
		after: { slug: tenant.slug, use_case: tenant.use_case, outlet_id: outlet.id, admin_user_id: user.id },
	});
	return { roles, status };
}
