import type { TenantSettings, TenantSettingsChange } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceTenant } from "./announce-tenant.ts";
import { removeLogos } from "./logo.store.ts";
import { requireDistinctName } from "./platform-name.ts";
import { requireKnownLogo, requireUsable } from "./setting-rules.ts";
import { changeTenant, lockTenant, publicTenant, type Tenant } from "./tenant.store.ts";

/** A tenant in the view of its administrators. */
export function settingsOf(tenant: Tenant): TenantSettings {
	const { join_policy, outlet_isolation } = tenant;
	return { ...publicTenant(tenant), join_policy, outlet_isolation };
}

type Changing = { tenantId: string; slug: string; change: TenantSettingsChange };

/**
 * Changes the given members. `branding.logo_url` may be null, which removes the logo, or its current value.
 * Throws `invalid_input` naming the field, `name_reserved`, and `tenant_not_found`.
 */
export async function changeSettings(
	needs: Pick<Dependencies, "db" | "settings">,
	{ tenantId, slug, change }: Changing,
	origin: Origin,
): Promise<TenantSettings> {
	requireUsable(change);
	const { branding, name, ...rest } = change;
	if (name !== undefined && slug !== needs.settings.platformOwnerSlug)
		await requireDistinctName(needs, { name, field: "name" });
	return recordSettings(needs.db, { tenantId, origin }, async (tx, before) => {
		requireKnownLogo(branding?.logo_url, before);
		if (branding?.logo_url === null) await removeLogos(tx, { tenantId });
		return {
			...before,
			...rest,
			...(name !== undefined && { name: name.trim() }),
			branding: { ...before.branding, ...branding },
		};
	});
}

type Recording = { tenantId: string; origin: Origin };

/**
 * Writes a change of a tenant's settings with its event and its audit row, in one transaction. `change` is
 * called with the locked tenant and answers the changed one. Throws `tenant_not_found`.
 */
export function recordSettings(
	db: Dependencies["db"],
	{ tenantId, origin }: Recording,
	change: (tx: Database, before: Tenant) => Promise<Tenant>,
): Promise<TenantSettings> {
	return inTenant(db, tenantId, async (tx) => {
		const before = await lockTenant(tx, tenantId);
		if (before === undefined || before.status === "deleted") throw failures.tenant_not_found();
		const after = await changeTenant(tx, await change(tx, before));
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
