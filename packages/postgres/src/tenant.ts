import { currentOutletIds } from "./outlets.ts";
import { type Database, inScope, type Scope } from "./transaction.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Runs `work` in one transaction that sees one tenant's rows and no other's: every table with a
 * `tenant_id` has a policy on `app.tenant_id`, which is set here and for this transaction alone.
 * Inside a transaction that has no tenant yet, that transaction becomes this tenant's until its end.
 * The same statement sets `app.outlet_ids`: the outlet scope of the request it runs in (`withOutletScope`), else every outlet.
 * Throws an Error when the id is no UUID or the transaction under way has another tenant or another outlet scope: these are bugs.
 */
export async function inTenant<T>(
	db: Database,
	tenantId: string,
	work: (db: Database) => Promise<T>,
): Promise<T> {
	if (!uuid.test(tenantId)) throw new Error("inTenant needs the tenant's UUID");
	const id = tenantId.toLowerCase();
	const outletIds = currentOutletIds();
	const scope: Scope = {
		name: outletIds === "*" ? `tenant ${id}` : `tenant ${id} at outlets ${outletIds}`,
		sql: `set local app.tenant_id = '${id}'; set local app.outlet_ids = '${outletIds}'`,
		joins: true,
	};
	return inScope(db, scope, work);
}

/**
 * Runs `work` as the platform owner's reader: rows of all tenants, and nothing may be written.
 * The one door to cross-tenant lists; call it only after the caller was seen to be the platform owner.
 * Throws an Error inside a transaction under way, whose other statements would become the platform's too.
 */
export async function acrossTenants<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
	return inScope(db, platform, work);
}

const platform: Scope = {
	name: "all tenants",
	sql: "set local role lango_platform; set local transaction_read_only = on",
	joins: false,
};
