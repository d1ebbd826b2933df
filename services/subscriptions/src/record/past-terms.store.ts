import { type Database, inTenant } from "@lango/postgres";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import type { StoredOverage } from "../rules/usage/overage-price.ts";

/** The terms that applied to usage until `endedAt`. */
export type PastTerms = {
	endedAt: Date;
	limits: Readonly<Record<string, number>>;
	overage: StoredOverage;
	currency: string;
};

type Changed = { before: FullSubscription; subscription: FullSubscription; now: Date };

/**
 * Records the terms that applied to a tenant's usage until a change, in its transaction. Does nothing if the
 * change leaves them equal.
 */
export async function recordPastTerms(tx: Database, { before, subscription, now }: Changed): Promise<void> {
	if (termsKey(before) === termsKey(subscription)) return;
	const due = before.pending?.from ?? null;
	const endedAt = due !== null && due < now ? due : now;
	const { limits } = snapshotAt(before, new Date(endedAt.getTime() - 1));
	await tx.query(
		`insert into past_terms (tenant_id, ended_at, limits, overage, currency)
		 select $1, $2, $3, overage, currency from plan_versions where id = $4
		 on conflict do nothing`,
		[before.tenantId, endedAt, limits, before.plan.id],
	);
}

const termsKey = ({ plan, addOns, overrides }: FullSubscription) =>
	JSON.stringify([plan.id, addOns.map(({ id }) => id).toSorted(), overrides.limits]);

/** The earlier terms of a tenant's usage, oldest first. */
export async function listPastTerms(db: Database, tenantId: string): Promise<PastTerms[]> {
	const rows = await inTenant(db, tenantId, (tx) =>
		tx.query<Omit<PastTerms, "endedAt"> & { ended_at: Date }>(
			"select ended_at, limits, overage, currency from past_terms where tenant_id = $1 order by ended_at",
			[tenantId],
		),
	);
	return rows.map(({ ended_at: endedAt, ...terms }) => ({ endedAt, ...terms }));
}
