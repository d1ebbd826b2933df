import { Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import type { StoredCredential } from "../profiles/credential.store.ts";
import type { Profile } from "../profiles/profile.ts";

const DateTime = Type.String({ format: "date-time" });
const Amount = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });
const Environment = Type.Enum(["sandbox", "production"], { type: "string" });
const BaseUrl = Type.String({ format: "uri", pattern: "^https?://", maxLength: 300 });
const Certificate = Type.String({
	minLength: 1,
	maxLength: 10_000,
	description: "PEM: it encrypts the passwords of initiators",
});
const Address = Type.String({
	minLength: 2,
	maxLength: 50,
	description: "An address, or a network: 196.201.214.0/24",
});

const common = {
	allow_ips: Type.Array(Address, { maxItems: 100, description: "From where callbacks are expected" }),
	ip_mode: Type.Enum(["observe", "enforce"], {
		type: "string",
		description: "enforce: callbacks from other addresses are only hints",
	}),
	per_second: Type.Integer({
		minimum: 1,
		maximum: 1_000,
		description: "The most calls in a second, of all processes together",
	}),
};
const Code = Type.String({ minLength: 1, maxLength: 20 });

const mobileMoneySettings = {
	...common,
	payment_max_minor: { ...Amount, description: "The most that the gateway takes in one payment or payout" },
	path_prefix: Type.String({
		minLength: 1,
		maxLength: 40,
		description: "The first segment of the gateway's paths",
	}),
	frequency_map: Type.Object(
		{ daily: Code, weekly: Code, monthly: Code, quarterly: Code, half_yearly: Code, yearly: Code },
		{ additionalProperties: false, description: "The gateway's codes of frequencies of standing orders" },
	),
	is_frequency_confirmed: Type.Boolean({
		description: "Whether the codes were checked; required in production",
	}),
	identifier_types: Type.Object(
		{ paybill: Code, till: Code, reversal: Code },
		{ additionalProperties: false, description: "The gateway's types of identifiers" },
	),
};

const cardSettings = {
	...common,
	transfer_fee_minor: Amount,
	verify_above_minor: { ...Amount, description: "Above it a success is verified before it counts" },
	approval_above_minor: { ...Amount, description: "The highest limit of approval that a tenant may set" },
	daily_payout_minor: {
		...Amount,
		description:
			"The most that a tenant may ask for on a day of its time zone, and be sent on one, in each currency. Refunds do not count",
	},
	recipient_cool_down_hours: Type.Integer({
		...{ minimum: 0, maximum: 720 },
		description: "Until so many hours after it was added, another person approves each payout to a recipient",
	}),
	settles_to: Type.Enum(["bank", "balance"], { type: "string" }),
	variance_tolerance_minor: {
		...Amount,
		description: "Up to this difference what a settlement pays too little or too much is posted as variance",
	},
	settlement_days: Type.Integer({
		...{ minimum: 1, maximum: 60 },
		description: "After so many days a charge that is not settled is late",
	}),
	recipient_types: Type.Object({ bank: Code, mobile_money: Code }, { additionalProperties: false }),
	capabilities: Type.Object(
		{
			...{ finalize_transfer: Type.Boolean(), resend_otp: Type.Boolean() },
			...{ list_refunds: Type.Boolean(), settlement_lines: Type.Boolean() },
			list_disputes: Type.Boolean(),
		},
		{ additionalProperties: false, description: "Calls beyond the specification" },
	),
};

const ShownSecret = Type.Object({ set_at: DateTime, last4: Type.String() });
/** What is shown of a secret: never the secret. */
export const Shown = Type.Union([ShownSecret, Type.Null()], {
	description: "Written only: when it was set, and its last four characters",
});
/** A new secret, or null. */
export const Secret = Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Null()], {
	description: "Written only; null removes it",
});

/** The secrets of each kind of gateway, in the platform's credential. */
export const secretNames = {
	mobile_money: ["consumer_key", "consumer_secret", "passkey"],
	card_gateway: ["secret_key", "public_key", "webhook_secret"],
} as const;

const MobileMoneySecrets = Type.Object(
	{
		consumer_key: Type.Optional(Secret),
		consumer_secret: Type.Optional(Secret),
		passkey: Type.Optional(Secret),
	},
	{ additionalProperties: false },
);
const CardSecrets = Type.Object(
	{
		secret_key: Type.Optional(Secret),
		public_key: Type.Optional(Secret),
		webhook_secret: Type.Optional(Secret),
	},
	{ additionalProperties: false },
);

const Credential = Type.Object({
	id: Uuid,
	set_at: DateTime,
	retires_at: Type.Union([DateTime, Type.Null()], {
		description: "Null: it is used for calls. Until then it verifies webhooks",
	}),
	secrets: Type.Record(Type.String(), ShownSecret, { description: "What is shown of its secrets, by name" }),
});

const profileOf = {
	environment: Environment,
	base_url: Type.Union([BaseUrl, Type.Null()], { description: "Null: the gateway is not configured" }),
	credentials: Type.Array(Credential),
	version: Type.Integer(),
};

export const MobileMoneyProfileWire = Type.Object({
	...profileOf,
	certificate: Type.Union([Certificate, Type.Null()]),
	secrets: Type.Object({ consumer_key: Shown, consumer_secret: Shown, passkey: Shown }),
	settings: Type.Object(mobileMoneySettings),
});

export const CardProfileWire = Type.Object({
	...profileOf,
	secrets: Type.Object({ secret_key: Shown, public_key: Shown, webhook_secret: Shown }),
	settings: Type.Object(cardSettings),
	webhook_url: Type.String({ description: "Set it at the gateway" }),
	callback_url: Type.String({ description: "Where the payer's browser comes back to" }),
});

const optional = <T extends Record<string, Type.TSchema>>(members: T) =>
	Type.Partial(Type.Object(members, { additionalProperties: false }));

export const MobileMoneyProfileBody = Shape({
	environment: Type.Optional(Environment),
	base_url: Type.Optional(BaseUrl),
	certificate: Type.Optional(Certificate),
	settings: Type.Optional(optional(mobileMoneySettings)),
	secrets: Type.Optional(MobileMoneySecrets),
});

export const CardProfileBody = Shape({
	environment: Type.Optional(Environment),
	base_url: Type.Optional(BaseUrl),
	settings: Type.Optional(optional(cardSettings)),
	secrets: Type.Optional(CardSecrets),
});

export const RotateMobileMoneyBody = Shape({ secrets: MobileMoneySecrets });
export const RotateCardBody = Shape({ secrets: CardSecrets });
export const RetireBody = Shape({ credential_id: Uuid });

/** What is shown of the secrets with these names, of the credential for calls. */
export function toShown<N extends string>(
	names: readonly N[],
	current: StoredCredential | undefined,
): Record<N, Static<typeof Shown>> {
	const shown = Object.fromEntries(names.map((name) => [name, current?.shown[name] ?? null]));
	return shown as Record<N, Static<typeof Shown>>;
}

/** The members that both profiles have. */
export const toProfileWire = (
	{ environment, baseUrl, version }: Profile<object>,
	credentials: readonly StoredCredential[],
) => ({
	...{ environment, base_url: baseUrl ?? null, version },
	credentials: credentials.map(({ id, setAt, retiresAt, shown }) => ({
		...{ id, set_at: setAt.toISOString(), retires_at: retiresAt?.toISOString() ?? null, secrets: shown },
	})),
});
