import type { TenantSettings, TenantSettingsChange } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceTenant } from "./announce-tenant.ts";
import { requireDistinctName } from "./platform-name.ts";
import { requireUsable } from "./setting-rules.ts";
import { changeTenant, lockTenant, publicTenant, type Tenant } from "./tenant.store.ts";

/** What a tenant's administrators see of it. */
export function settingsOf(tenant: Tenant): TenantSettings {
	const { join_policy, outlet_isolation } = tenant;
	return { ...publicTenant(tenant), join_policy, outlet_isolation };
}

type Changing = { tenantId: string; slug: string; change: TenantSettingsChange };

/** Changes what is named and leaves the rest. Throws `invalid_input` naming the field, `name_reserved`, and `tenant_not_found`. */
export async function changeSettings(
	needs: Pick<Dependencies, "db" | "settings" | "clients" | "allowedOrigins">,
	{ tenantId, slug, change }: Changing,
	origin: Origin,
): Promise<TenantSettings> {
	requireUsable(change, { ownOrigins: [...needs.allowedOrigins, ...(await needs.clients.origins())] });
	const { name: wanted } = change;
	if (wanted !== undefined && slug !== needs.settings.platformOwnerSlug)
		await requireDistinctName(needs, { name: wanted, field: "name" });
	return inTenant(needs.db, tenantId, async (tx) => {
		const before = await lockTenant(tx, tenantId);
		if (before === undefined || before.status === "deleted") throw failures.tenant_not_found();
		const { branding, name, ...rest } = change;
		const after = await changeTenant(tx, {
			...before,
			...rest,
			...(name !== undefined && { name: name.trim() }),
			branding: { ...before.branding, ...branding },
		});
		await announceTenant(tx, after, { what: "updated", origin });
		await recordAudit(tx, origin, {
			tenantId,
			action: "tenant.settings_changed",
			subject: tenantId,
			before: settingsOf(before),
			after: settingsOf(after),
		});
		return settingsOf(after);
	});
}
