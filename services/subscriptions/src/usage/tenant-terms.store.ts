import { type Database, inTenant } from "@lango/postgres";
import { type FoundSubscription, findSubscription } from "../subscriptions/subscription.store.ts";
import type { StoredOverage } from "./overage-price.ts";
import type { Boundaries } from "./window.ts";

/** Everything a tenant's usage is counted by, as it is stored. */
export type TenantTerms = Boundaries & {
	record: FoundSubscription;
	timeZone: string;
	/** Prices of overage of the plan, and of the one that comes next. */
	overage: StoredOverage;
	pendingOverage: StoredOverage;
	currency: string;
	pendingCurrency: string;
};

/** The day of a tenant whose time zone nobody has told us yet begins here: it is what the sign-on service gives new ones. */
const firstTimeZone = "Africa/Nairobi";

/** What a tenant's usage is counted by; undefined when it has no subscription. */
export async function findTenantTerms(db: Database, tenantId: string): Promise<TenantTerms | undefined> {
	return inTenant(db, tenantId, async (tx) => {
		// Read first: a record that changes in between is then seen with its older version, and refused where it is counted.
		const record = await findSubscription(tx, tenantId);
		const [row] = await tx.query<TermsRow>(
			`select s.trial_started_at, s.trial_ends_at, s.period_started_at, s.period_ends_at, c.time_zone,
			        v.overage, v.currency, n.overage as pending_overage, n.currency as pending_currency
			   from subscriptions s
			   join plan_versions v on v.id = s.plan_version_id
			   left join plan_versions n on n.id = s.pending_plan_version_id
			   left join tenant_calendars c on c.tenant_id = s.tenant_id
			  where s.tenant_id = $1`,
			[tenantId],
		);
		return record === undefined || row === undefined ? undefined : fromRow(record, row);
	});
}

type TermsRow = {
	trial_started_at: Date | null;
	trial_ends_at: Date | null;
	period_started_at: Date | null;
	period_ends_at: Date | null;
	time_zone: string | null;
	overage: StoredOverage;
	currency: string;
	pending_overage: StoredOverage | null;
	pending_currency: string | null;
};

function fromRow(record: FoundSubscription, row: TermsRow): TenantTerms {
	return {
		record,
		trial: between(row.trial_started_at, row.trial_ends_at),
		period: between(row.period_started_at, row.period_ends_at),
		timeZone: row.time_zone ?? firstTimeZone,
		overage: row.overage,
		currency: row.currency,
		pendingOverage: row.pending_overage ?? {},
		pendingCurrency: row.pending_currency ?? row.currency,
	};
}

const between = (startsAt: Date | null, endsAt: Date | null) =>
	startsAt === null || endsAt === null || startsAt >= endsAt ? null : { startsAt, endsAt };
