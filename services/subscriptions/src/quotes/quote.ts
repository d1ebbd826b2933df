import { type Database, inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { type Changed, type Changing, changeSubscription } from "../record/change-subscription.ts";
import { findOfferedAddOns, getAddOnVersions, getOfferedPlan, getPlanVersion } from "../record/plan.store.ts";
import { type ChangeMode, changePlan } from "../rules/changes/change-plan.ts";
import { type ReckonedChange, reckonChange } from "../rules/changes/reckon-change.ts";
import { nextChoice } from "../rules/lifecycle/pending.ts";
import type { HeldSubscription } from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";
import {
	type ExceededLimit,
	exceeded,
	isLoss,
	type Loss,
	lossOf,
	lossToWire,
	type UsageNow,
} from "../rules/terms/loss.ts";
import type { Choice, HeldAddOn } from "../rules/terms/plan.ts";
import { findQuote, recordQuote } from "./quote.store.ts";

/** How long a quote holds. */
const quoteMs = 15 * 60_000;

export type Quoting = Changing & { usageNow: UsageNow };

export type QuotedChange = {
	id: string;
	version: number;
	quotedAt: Date;
	expiresAt: Date;
	choice: Choice;
	reckoned: ReckonedChange;
	limitsExceeded: ExceededLimit[];
};

/** What is asked about: another plan, other add-ons (all that are wanted), or both; what is not named stays. */
export type QuoteAsking = {
	tenantId: string;
	plan: string | undefined;
	addOns: readonly string[] | undefined;
	correlationId: string;
};

/** Tells what a change would come to, for 15 minutes or until the subscription is changed. Throws `plan_not_found`, `add_on_not_found`. */
export async function quoteChange(quoting: Quoting, asking: QuoteAsking): Promise<QuotedChange> {
	const { tenantId, correlationId } = asking;
	const used = await quoting.usageNow(tenantId);
	return inTenant(quoting.db, tenantId, async (tx) => {
		const changing = { ...quoting, db: tx };
		const { held, now } = await changeSubscription(changing, { tenantId, correlationId }, asItIs);
		const choice = {
			plan: asking.plan === undefined ? held.plan : await getOfferedPlan(tx, asking.plan),
			addOns: await findAddOns(tx, held, asking.addOns),
		};
		const reckoned = reckonChange(held, choice, now);
		const expiresAt = new Date(now.getTime() + quoteMs);
		const quote = {
			subscriptionVersion: held.version,
			planVersionId: choice.plan.id,
			addOnVersionIds: choice.addOns.map(({ id }) => id),
			quotedAt: now,
			expiresAt,
		};
		const id = await recordQuote(tx, { tenantId, quote });
		const limitsExceeded = exceeded(reckoned, used);
		return { id, version: held.version, quotedAt: now, expiresAt, choice, reckoned, limitsExceeded };
	});
}

/** What a tenant has of them it keeps in its version; the others come in their newest. */
async function findAddOns(
	tx: Database,
	held: HeldSubscription,
	codes: readonly string[] | undefined,
): Promise<readonly HeldAddOn[]> {
	if (codes === undefined) return held.addOns;
	const kept = held.addOns.filter(({ code }) => codes.includes(code));
	const wanted = codes.filter((code) => kept.every((one) => one.code !== code));
	const found = wanted.length === 0 ? [] : await findOfferedAddOns(tx, wanted);
	const missing = wanted.find((code) => found.every((one) => one.code !== code));
	if (missing !== undefined)
		throw failures.add_on_not_found({ fields: { field: "add_ons", in: "body", add_on: missing } });
	return [...kept, ...found];
}

const asItIs = async <H>(held: H) => ({ held, tells: [], result: undefined });

export type QuoteTaking = {
	tenantId: string;
	quoteId: string;
	mode: ChangeMode;
	/** The tenant knows what it loses. */
	isAcknowledged: boolean;
	/** How much of each limit the tenant uses, read before the transaction begins. */
	used: Readonly<Record<string, number>>;
	correlationId: string;
};

/**
 * Does what was quoted. Throws `quote_not_found`, `quote_expired`, `quote_stale` when anything was changed since, and
 * `acknowledgement_required` with what would be lost.
 */
export async function takeQuote(
	changing: Changing,
	taking: QuoteTaking,
): Promise<Changed<Operation | undefined>> {
	const { tenantId, quoteId, mode, isAcknowledged, used, correlationId } = taking;
	return changeSubscription(changing, { tenantId, correlationId }, async (held, { tx, moment, version }) => {
		const quote = await findQuote(tx, { tenantId, id: quoteId });
		if (quote === undefined) throw failures.quote_not_found({ fields: { field: "quote_id" } });
		if (moment.now >= quote.expiresAt) throw failures.quote_expired();
		if (quote.subscriptionVersion !== version) throw failures.quote_stale({ fields: { version } });
		const choice = {
			plan: await getPlanVersion(tx, quote.planVersionId),
			addOns:
				quote.addOnVersionIds === null ? held.addOns : await getAddOnVersions(tx, quote.addOnVersionIds),
		};
		const loss = lossBy(held, choice, mode);
		if (isLoss(loss) && !isAcknowledged)
			throw failures.acknowledgement_required({ fields: lossToWire(loss, exceeded(loss, used)) });
		const { operation, ...change } = changePlan(held, { ...choice, mode, quotedAt: quote.quotedAt }, moment);
		return { ...change, result: operation };
	});
}

/** Where the period ends, it is what goes beside what a change that waits takes away: that was acknowledged. */
function lossBy(held: HeldSubscription, choice: Choice, mode: ChangeMode): Loss {
	if (mode === "now") return lossOf(held, { to: choice });
	return lossOf(held, { from: nextChoice(held, held), to: nextChoice(held, choice) });
}
