/** Where a gateway is: its sandbox, or production. */
export type GatewayEnvironment = "sandbox" | "production";

/** The configuration of one gateway, besides its credentials. */
export type Profile<S> = {
	id: string;
	environment: GatewayEnvironment;
	/** Undefined: the gateway is not configured. */
	baseUrl: string | undefined;
	/** Of the mobile-money gateway: the PEM certificate that encrypts passwords of initiators. */
	certificate: string | undefined;
	settings: S;
	version: number;
};

/** From where callbacks are expected; with `enforce` another one is only a hint (design section 12). */
export type AddressRule = { allow_ips: readonly string[]; ip_mode: "observe" | "enforce" };

/** Settings of both gateways. */
type CommonSettings = AddressRule & {
	/** Calls per second: for each shortcode, or to the card gateway. */
	per_second: number;
};

export type Frequency = "daily" | "weekly" | "monthly" | "quarterly" | "half_yearly" | "yearly";

export type MobileMoneySettings = CommonSettings & {
	/** The most that the gateway takes in one payment or payout, in lowest units. */
	payment_max_minor: number;
	/** The first segment of the gateway's paths. Clients of a real gateway have another one. */
	path_prefix: string;
	/** The gateway's code of each frequency of standing orders; another map bills at another interval. */
	frequency_map: Readonly<Record<Frequency, string>>;
	/** Whether an operator confirmed the map; required in production. */
	is_frequency_confirmed: boolean;
	/** The gateway's types of identifiers: of a paybill, a till, and the receiver of a reversal. */
	identifier_types: Readonly<{ paybill: string; till: string; reversal: string }>;
};

export type CardSettings = CommonSettings & {
	/** The fee of a transfer in lowest units, until the gateway states the actual one. */
	transfer_fee_minor: number;
	/** Above it a success is verified before it is applied. */
	verify_above_minor: number;
	/** The highest `approval_above_minor` that a tenant may set. */
	approval_above_minor: number;
	/** The most that a tenant may be paid out in a day. */
	daily_payout_minor: number;
	/** Until so many hours after it was added, a second person approves each payout to a recipient. */
	recipient_cool_down_hours: number;
	/** Where the gateway settles to: the platform's bank account, or its transfer balance. */
	settles_to: "bank" | "balance";
	/** Up to this difference, what a settlement pays too little or too much is posted as variance. */
	variance_tolerance_minor: number;
	/** A charge that no settlement contains after so many days is late, and so is what one pays out. */
	settlement_days: number;
	/** The gateway's words for types of recipients. */
	recipient_types: Readonly<{ bank: string; mobile_money: string }>;
	/** Calls beyond the specification; everything works without them. */
	capabilities: Readonly<{
		finalize_transfer: boolean;
		resend_otp: boolean;
		list_refunds: boolean;
		settlement_lines: boolean;
		list_disputes: boolean;
	}>;
};

export type MobileMoneyProfile = Profile<MobileMoneySettings>;
export type CardProfile = Profile<CardSettings>;

/** The settings of a profile without changes. */
export const mobileMoneyDefaults: MobileMoneySettings = {
	...{ allow_ips: [], ip_mode: "observe", per_second: 5 },
	payment_max_minor: 25_000_000,
	path_prefix: "mobilemoney",
	frequency_map: { daily: "1", weekly: "2", monthly: "3", quarterly: "4", half_yearly: "5", yearly: "6" },
	is_frequency_confirmed: false,
	identifier_types: { paybill: "4", till: "2", reversal: "11" },
};

/** The settings of a profile without changes. */
export const cardDefaults: CardSettings = {
	...{ allow_ips: [], ip_mode: "observe", per_second: 25 },
	...{ transfer_fee_minor: 0, verify_above_minor: 10_000_000 },
	...{ approval_above_minor: 5_000_000, daily_payout_minor: 100_000_000 },
	recipient_cool_down_hours: 24,
	...{ settles_to: "bank", variance_tolerance_minor: 0, settlement_days: 5 },
	recipient_types: { bank: "nuban", mobile_money: "mobile_money" },
	capabilities: {
		...{ finalize_transfer: true, resend_otp: true, list_refunds: true, settlement_lines: true },
		list_disputes: true,
	},
};
