import type { Subscription } from "@lango/contracts";
import type { PastTerms } from "../record/past-terms.store.ts";
import { defaultTimeZone } from "../rules/lifecycle/anchored-month.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import type { StoredOverage } from "../rules/usage/overage-price.ts";
import type { Boundaries } from "../rules/usage/window.ts";
import type { FoundSubscription } from "../snapshots/snapshot.store.ts";

/** Everything that determines how a tenant's usage is counted. */
export type TenantTerms = Boundaries & {
	record: FoundSubscription;
	timeZone: string;
	/** Earlier terms, oldest first. */
	past: readonly PastTerms[];
	/** The overage prices of the current and of the pending plan. */
	overage: StoredOverage;
	pendingOverage: StoredOverage;
	currency: string;
	pendingCurrency: string;
};

/** The terms of a stored subscription. */
export function termsOf(record: FoundSubscription, past: readonly PastTerms[] = []): TenantTerms {
	const { plan, pending } = record;
	return {
		record,
		trial: between(record.trialStartedAt, record.trialEndsAt),
		period: between(record.periodStartedAt, record.periodEndsAt),
		timeZone: record.timeZone ?? defaultTimeZone,
		past,
		overage: plan.overage,
		currency: plan.currency,
		pendingOverage: pending?.plan.overage ?? {},
		pendingCurrency: pending?.plan.currency ?? plan.currency,
	};
}

type Known = { snapshot: Subscription; from: number; until: number };
const memo = new WeakMap<TenantTerms, Known>();

/** The tenant's snapshot at `now`, memoized until it changes by time. */
export function currentSnapshot(terms: TenantTerms, now: Date): Subscription {
	const time = now.getTime();
	const known = memo.get(terms);
	if (known !== undefined && known.from <= time && time < known.until) return known.snapshot;
	const snapshot = snapshotAt(terms.record, now);
	const next = snapshot.next_change_at;
	memo.set(terms, {
		snapshot,
		from: time,
		until: next === null ? Number.POSITIVE_INFINITY : Date.parse(next),
	});
	return snapshot;
}

const between = (startsAt: Date | null, endsAt: Date | null) =>
	startsAt === null || endsAt === null || startsAt >= endsAt ? null : { startsAt, endsAt };
