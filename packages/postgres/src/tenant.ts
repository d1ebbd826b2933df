import { currentOutletIds } from "./outlets.ts";
import { type Database, inScope, type Scope, scopeOf } from "./transaction.ts";
import { isUuid } from "./uuid.ts";

/**
 * Runs `work` in a transaction that accesses the rows of one tenant only: every table with a `tenant_id` has
 * a policy on `app.tenant_id`, which is set for this transaction. Inside a transaction without a tenant, that
 * transaction gets this tenant until its end. The same statement sets `app.outlet_ids` to the outlet scope of
 * the request (`withOutletScope`), or to all outlets. Throws an Error if the id is not a UUID, or if the open
 * transaction has another tenant or outlet scope; both are bugs.
 */
export async function inTenant<T>(
	db: Database,
	tenantId: string,
	work: (db: Database) => Promise<T>,
): Promise<T> {
	if (!isUuid(tenantId)) throw new Error("inTenant: the tenant id must be a UUID");
	const id = tenantId.toLowerCase();
	const outletIds = currentOutletIds();
	const scope: Scope = {
		tenantId: id,
		name: outletIds === "*" ? `tenant ${id}` : `tenant ${id} at outlets ${outletIds}`,
		sql: `set local app.tenant_id = '${id}'; set local app.outlet_ids = '${outletIds}'`,
		joins: true,
	};
	return inScope(db, scope, work);
}

/**
 * Returns the tenant of the transaction (`inTenant`). A statement that compares `tenant_id` with it runs on
 * the node of the tenant if the database is a cluster. Throws an Error outside of a tenant, which is a bug.
 */
export function currentTenant(tx: Database): string {
	const tenantId = scopeOf(tx)?.tenantId;
	if (tenantId === undefined) throw new Error("currentTenant: the transaction has no tenant");
	return tenantId;
}

/**
 * Returns an SQL condition: `column` is the tenant of a parameter such as `$1`, so that a cluster runs the
 * statement on the node of the tenant. Without a tenant, which the parameter then states as null, it is true.
 */
export const ofTenant = (tenantId: string | undefined, column: string, parameter: string): string =>
	tenantId === undefined ? `${parameter}::uuid is null` : `${column} = ${parameter}::uuid`;

/**
 * Runs `work` as the platform owner's reader: read-only, with the rows of all tenants. Call it only after the
 * caller was verified to be the platform owner. Throws an Error inside an open transaction, whose other
 * statements would get the same rights.
 */
export async function acrossTenants<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
	return inScope(db, platform, work);
}

const platform: Scope = {
	name: "all tenants",
	sql: "set local role lango_platform; set local transaction_read_only = on",
	joins: false,
};
