import { Shape } from "@lango/contracts";
import Type from "typebox";
import type { StoredCredential } from "../profiles/credential.store.ts";
import type { TenantGateway } from "../shortcodes/tenant-gateway.store.ts";
import { Secret, Shown, toShown } from "./profile-wire.ts";

const DateTime = Type.String({ format: "date-time" });
const Kind = Type.Enum(["paybill", "till"], { type: "string" });
const UnknownAccounts = Type.Enum(["accept", "reject"], {
	type: "string",
	description: "Payments to an account that is not known: accepted and listed as not allocated, or refused",
});
const RefundExcess = Type.Boolean({
	description: "Whether what is paid too much is returned without a decision",
});
const Shortcode = Type.String({
	pattern: "^\\d{5,10}$",
	maxLength: 10,
	description: "The number of the paybill or till",
});
const InitiatorName = Type.String({
	minLength: 1,
	maxLength: 60,
	description: "Who asks for balances and payouts",
});
const AccountReference = Type.String({
	minLength: 1,
	maxLength: 12,
	description: "The account of payments without a payment request",
});

const secretNames = ["initiator_password", "consumer_key", "consumer_secret", "passkey"] as const;

const nullable = <T extends Type.TSchema>(of: T) => Type.Union([of, Type.Null()]);

/** The shortcode of a tenant. Secrets are written only. */
export const ShortcodeWire = Type.Object({
	shortcode: nullable(Type.String()),
	kind: nullable(Kind),
	initiator_name: nullable(Type.String()),
	account_reference: nullable(Type.String()),
	unknown_accounts: UnknownAccounts,
	refund_excess: RefundExcess,
	is_active: Type.Boolean({
		description: "In production only after its balance was read with its own initiator",
	}),
	urls_registered_at: nullable(DateTime),
	secrets: Type.Object({
		initiator_password: Shown,
		consumer_key: Shown,
		consumer_secret: Shown,
		passkey: Shown,
	}),
	version: Type.Integer(),
});

export const ShortcodeBody = Shape({
	shortcode: Shortcode,
	kind: Kind,
	initiator_name: Type.Optional(InitiatorName),
	account_reference: Type.Optional(AccountReference),
	unknown_accounts: Type.Optional(UnknownAccounts),
	refund_excess: Type.Optional(RefundExcess),
	initiator_password: Type.Optional(Secret),
	consumer_key: Type.Optional(Secret),
	consumer_secret: Type.Optional(Secret),
	passkey: Type.Optional(Secret),
});

/** A tenant without a shortcode has the same members. */
export const toShortcodeWire = (
	found: TenantGateway | undefined,
	{ credential, isProduction }: { credential: StoredCredential | undefined; isProduction: boolean },
) => ({
	...{ shortcode: found?.shortcode ?? null, kind: found?.kind ?? null },
	...{ initiator_name: found?.initiatorName ?? null, account_reference: found?.accountReference ?? null },
	...{ unknown_accounts: found?.unknownAccounts ?? "accept", refund_excess: found?.refundExcess ?? false },
	is_active: found !== undefined && (!isProduction || found.verifiedAt !== undefined),
	urls_registered_at: found?.urlsRegisteredAt?.toISOString() ?? null,
	...{ secrets: toShown(secretNames, credential), version: found?.version ?? 0 },
});
