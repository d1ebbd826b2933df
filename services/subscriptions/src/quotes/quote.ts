import { inTenant } from "@lango/postgres";
import type { Operation } from "../billing/operation.ts";
import { findOfferedPlan, getPlanVersion } from "../catalogue/held-plan.store.ts";
import type { HeldPlan } from "../catalogue/held-plan.ts";
import { unlimited } from "../catalogue/terms.ts";
import { failures } from "../failures.ts";
import { type Changed, type Changing, changeSubscription } from "../subscriptions/change-subscription.ts";
import { type ChangeMode, changePlan } from "./change-plan.ts";
import { findQuote, recordQuote } from "./quote.store.ts";
import { lossOf, type ReckonedChange, reckonChange } from "./reckon-change.ts";

/** How long a quote holds. */
const quoteMs = 15 * 60_000;

/** How much of each limit a tenant uses now; a limit that is missing is not known here. */
export type UsageNow = (tenantId: string) => Promise<Readonly<Record<string, number>>>;
export type Quoting = Changing & { usageNow: UsageNow };

/** Limits of the new plan that the tenant has passed already. */
export type ExceededLimit = { limit: string; used: number; allowed: number };

export type QuotedChange = {
	id: string;
	version: number;
	quotedAt: Date;
	expiresAt: Date;
	plan: HeldPlan;
	reckoned: ReckonedChange;
	limitsExceeded: ExceededLimit[];
};

/** Tells what a change to the plan would come to, for 15 minutes or until the subscription is changed. Throws `plan_not_found`. */
export async function quoteChange(
	quoting: Quoting,
	{ tenantId, code, correlationId }: { tenantId: string; code: string; correlationId: string },
): Promise<QuotedChange> {
	const used = await quoting.usageNow(tenantId);
	return inTenant(quoting.db, tenantId, async (tx) => {
		const plan = await findOfferedPlan(tx, code);
		if (plan === undefined) throw failures.plan_not_found({ fields: { field: "plan" } });
		const changing = { ...quoting, db: tx };
		const { held, now } = await changeSubscription(changing, { tenantId, correlationId }, asItIs);
		const reckoned = reckonChange(held, plan, now);
		const expiresAt = new Date(now.getTime() + quoteMs);
		const quote = { subscriptionVersion: held.version, planVersionId: plan.id, quotedAt: now, expiresAt };
		const id = await recordQuote(tx, { tenantId, quote });
		const limitsExceeded = exceeded(reckoned, used);
		return { id, version: held.version, quotedAt: now, expiresAt, plan, reckoned, limitsExceeded };
	});
}

const asItIs = async <H>(held: H) => ({ held, tells: [], result: undefined });

export type QuoteTaking = {
	tenantId: string;
	quoteId: string;
	mode: ChangeMode;
	/** The tenant knows what it loses. */
	isAcknowledged: boolean;
	correlationId: string;
};

/**
 * Does what was quoted. Throws `quote_not_found`, `quote_expired`, `quote_stale` when anything was changed since, and
 * `acknowledgement_required` with what would be lost.
 */
export async function takeQuote(
	quoting: Quoting,
	taking: QuoteTaking,
): Promise<Changed<Operation | undefined>> {
	const { tenantId, quoteId, mode, isAcknowledged, correlationId } = taking;
	const used = await quoting.usageNow(tenantId);
	return changeSubscription(quoting, { tenantId, correlationId }, async (held, { tx, moment, version }) => {
		const quote = await findQuote(tx, { tenantId, id: quoteId });
		if (quote === undefined) throw failures.quote_not_found({ fields: { field: "quote_id" } });
		if (moment.now >= quote.expiresAt) throw failures.quote_expired();
		if (quote.subscriptionVersion !== version) throw failures.quote_stale({ fields: { version } });
		const plan = await getPlanVersion(tx, quote.planVersionId);
		const loss = lossOf(held, plan);
		const isLess = loss.featuresLost.length > 0 || loss.limitsLowered.length > 0;
		if (isLess && !isAcknowledged)
			throw failures.acknowledgement_required({ fields: lossToWire(loss, exceeded(loss, used)) });
		const { operation, ...change } = changePlan(held, { plan, mode, quotedAt: quote.quotedAt }, moment);
		return { ...change, result: operation };
	});
}

type Loss = Pick<ReckonedChange, "featuresLost" | "limitsLowered">;

/** What a tenant loses by a change, as it is told. */
export function lossToWire({ featuresLost, limitsLowered }: Loss, limitsExceeded: readonly ExceededLimit[]) {
	return {
		features_lost: featuresLost,
		limits_lowered: limitsLowered,
		limits_exceeded: [...limitsExceeded],
	};
}

function exceeded({ limitsLowered }: Loss, used: Readonly<Record<string, number>>): ExceededLimit[] {
	return limitsLowered
		.map(({ limit, to }) => ({ limit, used: used[limit] ?? 0, allowed: to }))
		.filter(({ used: count, allowed }) => allowed !== unlimited && count > allowed);
}
