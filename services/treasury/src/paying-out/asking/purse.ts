import type { Database } from "@lango/postgres";
import type { PayoutConfig } from "../../gateways/shortcodes/payout-config.store.ts";
import { smaller } from "../../money/amount.ts";
import { fundsOf } from "../../outcomes/payouts/funds.store.ts";
import { payoutFailures } from "../../payouts/failures.ts";
import { sumPaidOut } from "../../payouts/payout.store.ts";
import { type PayoutLine, splitGross } from "../../payouts/payout.ts";
import { findPayer } from "../../prompts/payer.store.ts";
import type { CardPlan, PayoutPlan, PayoutRules } from "./plan-payout.ts";

type Amounts = { grossMinor: bigint; netMinor: bigint; lines: readonly PayoutLine[] };

/** What payouts of one request take their amounts from, one after the other. */
export type Purse = {
	/** Throws `balance_insufficient`, `payout_below_minimum` and `daily_limit_reached`. */
	take(plan: PayoutPlan): Promise<Amounts>;
};

/** What is left in a currency. */
type Left = { availableMinor: bigint; feesDueMinor: bigint; paidOutMinor: bigint };

type Opening = { rules: PayoutRules; config: PayoutConfig; at: Date };

/**
 * Opens what a tenant has and was paid out on this day: each currency is read once. The payouts of the
 * tenant are locked. Call it inside the tenant.
 */
export function openPurse(tx: Database, { rules, config, at }: Opening): Purse {
	const byCurrency = new Map<string, Left>();
	const open = async (currency: string): Promise<Left> => {
		const known = byCurrency.get(currency);
		if (known !== undefined) return known;
		const { timeZone } = await findPayer(tx);
		const paidOutMinor = await sumPaidOut(tx, { at, timeZone, currency });
		const left = { ...(await fundsOf(tx, currency)), paidOutMinor };
		byCurrency.set(currency, left);
		return left;
	};
	return {
		async take(plan) {
			const left = await open(plan.currency);
			const amounts = plan.rail === "card_gateway" ? takeByCard(left, plan, rules) : takeAll(plan.grossMinor);
			if (plan.rail === "card_gateway" && amounts.netMinor < BigInt(config.minimumMinor))
				throw payoutFailures.payout_below_minimum();
			// Between the accounts of the own shortcode nothing is paid out.
			if (plan.rail === "mobile_money" && plan.kind === "own_working") return amounts;
			left.paidOutMinor += amounts.grossMinor;
			if (left.paidOutMinor > rules.dailyMinor) throw payoutFailures.daily_limit_reached();
			return amounts;
		},
	};
}

/** A payout from the tenant's own shortcode has no fees here, and the gateway refuses an overdraft. */
const takeAll = (grossMinor: bigint): Amounts => ({
	...{ grossMinor, ...splitGross({ grossMinor, feesDueMinor: 0n, transferFeeMinor: 0n }) },
});

/**
 * The first payout deducts all fees that are due. Without an amount it takes what is available, as far as
 * the limit of the day allows.
 */
function takeByCard(left: Left, plan: CardPlan, { transferFeeMinor, dailyMinor }: PayoutRules): Amounts {
	const { availableMinor, feesDueMinor, paidOutMinor } = left;
	const { grossMinor = smaller(availableMinor, dailyMinor - paidOutMinor) } = plan;
	if (availableMinor === 0n || grossMinor > availableMinor) throw payoutFailures.balance_insufficient();
	if (grossMinor <= 0n) throw payoutFailures.daily_limit_reached();
	const split = splitGross({ grossMinor, feesDueMinor, transferFeeMinor });
	if (split.netMinor <= 0n) throw payoutFailures.payout_below_minimum();
	left.availableMinor -= grossMinor;
	left.feesDueMinor = 0n;
	return { grossMinor, ...split };
}
