import Type, { type Static } from "typebox";
import { BalanceMinor, toMinor } from "../money/amount.ts";
import type { ConfirmedBalance } from "../queries/query.store.ts";
import { sumOf } from "../queries/query.ts";
import type { TenantBalance } from "./statement.store.ts";

/** The balances of a tenant in one currency, by custody. */
export const BalancesWire = Type.Object({
	currency: Type.String(),
	platform_custody: Type.Object(
		{
			pending: BalanceMinor,
			available: BalanceMinor,
			reserved: BalanceMinor,
			refunding: BalanceMinor,
			disputed: BalanceMinor,
			fees_due: BalanceMinor,
			debt: BalanceMinor,
		},
		{ description: "What the platform holds for the tenant; fees_due and debt are what the tenant owes" },
	),
	tenant_custody: Type.Array(
		Type.Object({
			shortcode: Type.String(),
			mirror_minor: BalanceMinor,
			suspense_minor: BalanceMinor,
			confirmed_minor: Type.Union([BalanceMinor, Type.Null()]),
			confirmed_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
		}),
		{
			description:
				"What the tenant's own shortcodes received, as far as the ledger knows; suspense_minor is the part that is not allocated, and confirmed_minor what the gateway last said",
		},
	),
	unapplied_minor: BalanceMinor,
});

const held = ["pending", "available", "reserved", "refunding", "disputed", "fees_due", "debt"] as const;
const floatCode = "mm.float.";

/** Arranges the balances of the ledger for the route. */
export function arrangeBalances(
	{ balances, confirmed }: { balances: readonly TenantBalance[]; confirmed: readonly ConfirmedBalance[] },
	currency: string,
): Static<typeof BalancesWire> {
	const minorOf = (code: string) => {
		const found = balances.find((one) => one.code === code && one.currency === currency);
		return toMinor(found?.balanceMinor ?? 0n);
	};
	const received = balances
		.filter((one) => one.currency === currency && one.code.startsWith(floatCode))
		.map(({ code }) => code.slice(floatCode.length));
	const said = confirmed.filter(({ accounts }) => accounts.some((one) => one.currency === currency));
	const shortcodes = [...new Set([...received, ...said.map(({ shortcode }) => shortcode)])];
	const confirmedOf = (wanted: string) => {
		const found = said.find(({ shortcode }) => shortcode === wanted);
		return {
			confirmed_minor: found === undefined ? null : toMinor(sumOf(found.accounts, currency)),
			confirmed_at: found?.at.toISOString() ?? null,
		};
	};
	return {
		currency,
		platform_custody: Object.fromEntries(held.map((name) => [name, minorOf(`tenant.${name}`)])) as Static<
			typeof BalancesWire
		>["platform_custody"],
		tenant_custody: shortcodes.map((shortcode) => ({
			shortcode,
			mirror_minor: minorOf(`${floatCode}${shortcode}`),
			suspense_minor: minorOf(`suspense.${shortcode}`),
			...confirmedOf(shortcode),
		})),
		unapplied_minor: minorOf("unapplied"),
	};
}
