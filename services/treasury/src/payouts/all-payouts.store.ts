import { acrossTenants, type Database } from "@lango/postgres";
import type { Payout } from "./payout.ts";

/** Lists the ids of overdue payouts of all tenants: those that are sent, or those that wait to be sent. */
export async function listDuePayouts(
	db: Database,
	{ isApproved, before, after, limit }: Due,
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from payouts
			  where next_check_at < $1 and (status = 'approved') = $2 and ($3::uuid is null or id > $3)
			  order by id limit $4`,
			[before, isApproved, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}

/** Lists the ids of payouts of all tenants that wait for an approval since an instant. */
export async function listWaitingPayouts(
	db: Database,
	{ since, after, limit }: { since: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from payouts
			  where ended_at is null and status = 'awaiting_approval' and created_at < $1 and ($2::uuid is null or id > $2)
			  order by id limit $3`,
			[since, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}

/** A transfer that was booked as paid. */
export type Transferred = Pick<Payout, "tenantId" | "id" | "reference" | "feeMinor">;

/** Lists transfers of all tenants that were booked as paid within a time, by id. */
export async function listTransferred(
	db: Database,
	{ from, to, after, limit }: { from: Date; to: Date; after: string | undefined; limit: number },
): Promise<Transferred[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string; id: string; reference: string; fee_minor: string | null }>(
			`select tenant_id, id, reference, fee_minor from payouts
			  where rail = 'card_gateway' and status = 'paid' and paid_at between $1 and $2 and ($3::uuid is null or id > $3)
			  order by id limit $4`,
			[from, to, after ?? null, limit],
		),
	);
	return rows.map(({ tenant_id: tenantId, id, reference, fee_minor: fee }) => ({
		...{ tenantId, id, reference, feeMinor: fee === null ? null : BigInt(fee) },
	}));
}

type Due = { isApproved: boolean; before: Date; after: string | undefined; limit: number };

/** Finds the tenant of a payout, for the platform owner. */
export async function findTenantOfPayout(db: Database, id: string): Promise<string | undefined> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>("select tenant_id from payouts where id = $1", [id]),
	);
	return row?.tenant_id;
}
