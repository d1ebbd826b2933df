import { type Database, inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { type Changed, type ChangeParts, changeSubscription } from "../record/change-subscription.ts";
import { findOfferedAddOns, getAddOnVersions, getOfferedPlan, getPlanVersion } from "../record/plan.store.ts";
import { type ChangeMode, changePlan } from "../rules/changes/change-plan.ts";
import { type PricedChange, priceChange } from "../rules/changes/price-change.ts";
import { nextChoice } from "../rules/lifecycle/pending.ts";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";
import {
	type ExceededLimit,
	exceeded,
	isLoss,
	type Loss,
	lossOf,
	lossToWire,
	type ReadLimitUsage,
} from "../rules/terms/loss.ts";
import type { AddOnVersion, Choice } from "../rules/terms/plan.ts";
import { findQuote, recordQuote } from "./quote.store.ts";

/** How long a quote is valid. */
const quoteMs = 15 * 60_000;

export type QuoteParts = ChangeParts & { readLimitUsage: ReadLimitUsage };

export type QuotedChange = {
	id: string;
	version: number;
	quotedAt: Date;
	expiresAt: Date;
	choice: Choice;
	priced: PricedChange;
	limitsExceeded: ExceededLimit[];
};

/** The requested change: another plan, a complete list of add-ons, or both. What is undefined stays. */
export type QuoteRequest = {
	tenantId: string;
	plan: string | undefined;
	addOns: readonly string[] | undefined;
	correlationId: string;
};

/**
 * Quotes a change, valid for 15 minutes or until the subscription changes. Throws `plan_not_found`,
 * `add_on_not_found`.
 */
export async function quoteChange(quoting: QuoteParts, asking: QuoteRequest): Promise<QuotedChange> {
	const { tenantId, correlationId } = asking;
	const used = await quoting.readLimitUsage(tenantId);
	return inTenant(quoting.db, tenantId, async (tx) => {
		const changing = { ...quoting, db: tx };
		const { subscription, now } = await changeSubscription(changing, { tenantId, correlationId }, unchanged);
		const choice = {
			plan: asking.plan === undefined ? subscription.plan : await getOfferedPlan(tx, asking.plan),
			addOns: await findAddOns(tx, subscription, asking.addOns),
		};
		const priced = priceChange(subscription, choice, now);
		const expiresAt = new Date(now.getTime() + quoteMs);
		const quote = {
			subscriptionVersion: subscription.version,
			planVersionId: choice.plan.id,
			addOnVersionIds: choice.addOns.map(({ id }) => id),
			quotedAt: now,
			expiresAt,
		};
		const id = await recordQuote(tx, { tenantId, quote });
		const limitsExceeded = exceeded(priced, used);
		return { id, version: subscription.version, quotedAt: now, expiresAt, choice, priced, limitsExceeded };
	});
}

/** Current add-ons keep their version; others come in their newest version. */
async function findAddOns(
	tx: Database,
	subscription: FullSubscription,
	codes: readonly string[] | undefined,
): Promise<readonly AddOnVersion[]> {
	if (codes === undefined) return subscription.addOns;
	const kept = subscription.addOns.filter(({ code }) => codes.includes(code));
	const added = codes.filter((code) => kept.every((one) => one.code !== code));
	const found = added.length === 0 ? [] : await findOfferedAddOns(tx, added);
	const missing = added.find((code) => found.every((one) => one.code !== code));
	if (missing !== undefined)
		throw failures.add_on_not_found({ fields: { field: "add_ons", in: "body", add_on: missing } });
	return [...kept, ...found];
}

const unchanged = async <H>(subscription: H) => ({ subscription, announcements: [], result: undefined });

export type QuoteTaking = {
	tenantId: string;
	quoteId: string;
	mode: ChangeMode;
	/** Whether the tenant accepts the loss. */
	isAcknowledged: boolean;
	/** The current usage of each limit, read before the transaction begins. */
	used: Readonly<Record<string, number>>;
	correlationId: string;
};

/**
 * Makes the quoted change. Throws `quote_not_found`, `quote_expired`, `quote_stale` if the subscription
 * changed since, and `acknowledgement_required` with what would be lost.
 */
export async function takeQuote(
	changing: ChangeParts,
	taking: QuoteTaking,
): Promise<Changed<Operation | undefined>> {
	const { tenantId, quoteId, mode, isAcknowledged, used, correlationId } = taking;
	return changeSubscription(
		changing,
		{ tenantId, correlationId },
		async (subscription, { tx, moment, version }) => {
			const quote = await findQuote(tx, { tenantId, id: quoteId });
			if (quote === undefined) throw failures.quote_not_found({ fields: { field: "quote_id" } });
			if (moment.now >= quote.expiresAt) throw failures.quote_expired();
			if (quote.subscriptionVersion !== version) throw failures.quote_stale({ fields: { version } });
			const choice = {
				plan: await getPlanVersion(tx, quote.planVersionId),
				addOns:
					quote.addOnVersionIds === null
						? subscription.addOns
						: await getAddOnVersions(tx, quote.addOnVersionIds),
			};
			const loss = lossBy(subscription, choice, mode);
			if (isLoss(loss) && !isAcknowledged)
				throw failures.acknowledgement_required({ fields: lossToWire(loss, exceeded(loss, used)) });
			const { operation, ...change } = changePlan(
				subscription,
				{ ...choice, mode, quotedAt: quote.quotedAt },
				moment,
			);
			return { ...change, result: operation };
		},
	);
}

/**
 * At the end of the period only what is lost beyond an already scheduled change counts: that loss was
 * acknowledged.
 */
function lossBy(subscription: FullSubscription, choice: Choice, mode: ChangeMode): Loss {
	if (mode === "now") return lossOf(subscription, { to: choice });
	return lossOf(subscription, {
		from: nextChoice(subscription, subscription),
		to: nextChoice(subscription, choice),
	});
}
