import { type Database, inTenant } from "@lango/postgres";
import { type AddOnVersionRow, addOnsWithTerms, readAddOn } from "../record/plan.store.ts";
import { currentAddOns } from "../record/subscription.store.ts";
import type { AddOnVersion } from "../rules/terms/plan.ts";

/** An add-on on offer: its newest version that is not retired. */
export type OfferedAddOn = AddOnVersion & { name: string };

/** Add-ons on offer after a code, ordered by code. */
export async function listAddOns(
	db: Database,
	{ after, max }: { after: string; max: number },
): Promise<OfferedAddOn[]> {
	const rows = await db.query<{ name: string; add_on: AddOnVersionRow }>(
		`select a.name, ${addOnsWithTerms("array[v.id]")} -> 0 as add_on
		   from add_ons a
		  cross join lateral (
		     select o.id from add_on_versions o
		      where o.add_on_code = a.code
		        and not exists (select from add_on_version_retirements r where r.add_on_version_id = o.id)
		      order by o.version desc limit 1) v
		  where a.code > $1 collate "C"
		  order by a.code collate "C"
		  limit $2`,
		[after, max],
	);
	return rows.map(({ name, add_on }) => ({ ...readAddOn(add_on), name }));
}

/** A tenant's current add-ons, and those from a time on (null: no change). */
export type TenantAddOns = {
	current: AddOnVersion[];
	pending: { addOns: AddOnVersion[]; from: Date | null } | null;
};

/** A tenant's add-ons; undefined if it has no subscription. */
export async function findTenantAddOns(db: Database, tenantId: string): Promise<TenantAddOns | undefined> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ current: AddOnVersionRow[]; pending: AddOnVersionRow[] | null; pending_from: Date | null }>(
			`select ${addOnsWithTerms(currentAddOns)} as current,
			        case when s.pending_plan_version_id is not null and s.pending_add_on_version_ids is not null
			             then ${addOnsWithTerms("s.pending_add_on_version_ids")} end as pending, s.pending_from
			   from subscriptions s where s.tenant_id = $1`,
			[tenantId],
		),
	);
	if (row === undefined) return undefined;
	const { current, pending, pending_from: from } = row;
	return { current: current.map(readAddOn), pending: pending && { addOns: pending.map(readAddOn), from } };
}
