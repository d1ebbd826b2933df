/** The owner of an account: the tenant of the journal, or the platform. */
type Owner = "tenant" | "platform";

/**
 * An account of a journal's line. With owner and currency, the code names it; its kind is that of
 * `ledger_chart` in `database/migrations/0001_base.sql`.
 */
export type Account = { code: string; owner: Owner };

const tenant = <C extends string>(code: C) => ({ code, owner: "tenant" }) as const;
const platform = <C extends string>(code: C) => ({ code, owner: "platform" }) as const;

/** The chart of accounts (design 7.1), except those that are named by a shortcode or a channel. */
export const accounts = {
	/**
	 * Assets: charges that the card gateway has not settled, its transfer balance, and the platform's bank
	 * account.
	 */
	cardUnsettled: platform("card.unsettled"),
	cardBalance: platform("card.balance"),
	bank: platform("bank"),
	/**
	 * Assets: fees that the tenant bears and no payout has deducted yet, and what the tenant owes after
	 * refunds and disputes.
	 */
	feesDue: tenant("tenant.fees_due"),
	debt: tenant("tenant.debt"),
	/** Liabilities to the tenant, by what may be done with them. */
	pending: tenant("tenant.pending"),
	available: tenant("tenant.available"),
	reserved: tenant("tenant.reserved"),
	refunding: tenant("tenant.refunding"),
	disputed: tenant("tenant.disputed"),
	/** The mirror of what the tenant's own shortcodes received: tenant custody. */
	mobile: tenant("tenant.mobile"),
	/** What the tenant paid to the platform, and no operation has used yet. */
	unapplied: tenant("unapplied"),
	cardSuspense: platform("suspense.card"),
	feeRecovery: platform("fee_recovery"),
	income: platform("platform.income"),
	chargebackLoss: platform("chargeback_loss"),
	variance: platform("recon_variance"),
} as const satisfies Readonly<Record<string, Account>>;

/** A mobile-money shortcode and its owner, which also owns the float. */
export type Shortcode = { shortcode: string; owner: Owner };

/** The float of a shortcode, an asset in the custody of its owner. */
export const floatOf = ({ shortcode, owner }: Shortcode): Account => ({
	code: `mm.float.${shortcode}`,
	owner,
});

/** What a shortcode received and nothing is allocated to. */
export const suspenseOf = ({ shortcode, owner }: Shortcode): Account => ({
	code: `suspense.${shortcode}`,
	owner,
});

const feeAccounts: readonly string[] = ["card", "bank_transfer", "mobile_money", "ussd", "transfer"];

/**
 * What the card gateway charges for a channel, or for transfers. Channels that are not known share one
 * account: a word of the gateway never names one.
 */
export const gatewayFeeOf = (channel: string): Account =>
	platform(`gateway_fee.${feeAccounts.includes(channel) ? channel : "other"}`);
