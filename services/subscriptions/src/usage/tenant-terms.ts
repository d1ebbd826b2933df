import type { Subscription } from "@lango/contracts";
import type { PastTerms } from "../record/past-terms.store.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import type { StoredOverage } from "../rules/usage/overage-price.ts";
import type { Boundaries } from "../rules/usage/window.ts";
import type { FoundSubscription } from "../snapshots/snapshot.store.ts";

/** Everything a tenant's usage is counted by. */
export type TenantTerms = Boundaries & {
	record: FoundSubscription;
	timeZone: string;
	/** By what it was counted before, the oldest first. */
	past: readonly PastTerms[];
	/** Prices of overage of the plan, and of the one that comes next. */
	overage: StoredOverage;
	pendingOverage: StoredOverage;
	currency: string;
	pendingCurrency: string;
};

/** The day of a tenant whose time zone nobody has told us yet begins here: it is what the sign-on service gives new ones. */
const defaultTimeZone = "Africa/Nairobi";

/** What a tenant's usage is counted by, of its subscription as it is stored. */
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

/** How the tenant stands at `now`: reckoned once for all the time until it changes by itself. */
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
