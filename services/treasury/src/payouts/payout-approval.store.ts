import { currentTenant, type Database } from "@lango/postgres";

/** What a person decided about a payout. */
export type PayoutApproval = {
	payoutId: string;
	by: { kind: string; id: string };
	decision: "approved" | "rejected" | "resolve_paid" | "resolve_failed";
	because: string | null;
	at: Date;
};

/**
 * Records a decision about payouts. The same one of the same person again changes nothing, except what became
 * of a payout: that is said again. Call it inside the tenant.
 */
export async function recordApprovals(
	tx: Database,
	decided: Omit<PayoutApproval, "payoutId"> & { tenantId: string; payoutIds: readonly string[] },
): Promise<void> {
	const { tenantId, payoutIds, by, decision, because, at } = decided;
	await tx.query(
		`insert into payout_approvals (tenant_id, payout_id, by_kind, by, decision, because, at)
		 select $1, p.id, $3, $4, $5, $6, $7 from unnest($2::uuid[]) p (id)
		 on conflict on constraint payout_approvals__pkey do update set because = excluded.because, at = excluded.at
		 where payout_approvals.decision in ('resolve_paid', 'resolve_failed')`,
		[tenantId, payoutIds, by.kind, by.id, decision, because, at],
	);
}

/** Records a decision about a payout, as `recordApprovals` does. */
export const recordApproval = (
	tx: Database,
	{ payoutId, ...decided }: PayoutApproval & { tenantId: string },
): Promise<void> => recordApprovals(tx, { ...decided, payoutIds: [payoutId] });

/** Lists the decisions about payouts, the first first. Call it inside the tenant. */
export async function listApprovals(
	tx: Database,
	payoutIds: readonly string[],
): Promise<readonly PayoutApproval[]> {
	const rows = await tx.query<{
		payout_id: string;
		by_kind: string;
		by: string;
		decision: PayoutApproval["decision"];
		because: string | null;
		at: Date;
	}>(
		`select payout_id, by_kind, by, decision, because, at from payout_approvals
		  where tenant_id = $2 and payout_id = any ($1::uuid[]) order by at, by`,
		[payoutIds, currentTenant(tx)],
	);
	return rows.map(({ payout_id, by_kind, by, decision, because, at }) => ({
		...{ payoutId: payout_id, by: { kind: by_kind, id: by }, decision, because, at },
	}));
}
