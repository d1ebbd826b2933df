import { type Database, inTenant } from "@lango/postgres";
import type { OverageLine } from "../rules/lifecycle/overage-bill.ts";

/**
 * Takes the overage of a subscription's period, identified by its end, in the transaction that bills it. Each
 * unit is taken once. Overage reported late for an earlier period is included.
 */
export async function takeOverage(
	tx: Database,
	tenantId: string,
	period: { endsAt: Date },
): Promise<OverageLine[]> {
	const rows = await inTenant(tx, tenantId, (inside) =>
		inside.query<{ metric: string; units: bigint; unit_price_minor: bigint; currency: string }>(
			`with due as (
			   select metric, period_starts_at, unit_price_minor, currency, units, units - taken_units as fresh
			     from overage_lines
			    where tenant_id = $1 and period_starts_at < $2 and units > taken_units
			      for update
			 ), taken as (
			   update overage_lines l set taken_units = due.units
			     from due
			    where l.tenant_id = $1 and l.metric = due.metric and l.period_starts_at = due.period_starts_at
			      and l.unit_price_minor = due.unit_price_minor and l.currency = due.currency
			   returning due.metric, due.unit_price_minor, due.currency, due.fresh)
			 select metric, unit_price_minor, currency, sum(fresh)::bigint as units
			   from taken group by metric, unit_price_minor, currency order by metric, unit_price_minor, currency`,
			[tenantId, period.endsAt],
		),
	);
	return rows.map(({ metric, units, unit_price_minor, currency }) => ({
		metric,
		units,
		unitPriceMinor: unit_price_minor,
		amountMinor: units * unit_price_minor,
		currency,
	}));
}
