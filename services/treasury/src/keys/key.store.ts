import { type Database, inTenant, ofTenant } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { OlderSeal } from "../measurements/older-seal.store.ts";

/** The columns of a sealed value: the id of its key, and the value. */
const columns = {
	platform_gateway_credentials: ["dek_key_id", "dek_sealed"],
	gateway_credentials: ["dek_key_id", "dek_sealed"],
	intents: ["pay_code_key_id", "pay_code_sealed"],
	recipients: ["account_key_id", "account_sealed"],
	card_authorizations: ["code_key_id", "code_sealed"],
	card_subscriptions: ["email_token_key_id", "email_token_sealed"],
} as const;

/** A sealed value, what a credential is for, and what identifies the account of a recipient. */
export type SealedRow = {
	value: Sealed;
	purpose: "mobile_money" | "card_gateway" | null;
	account: { type: "bank" | "mobile_money"; bankCode: string; currency: string } | null;
};

const credentialsIn = (table: OlderSeal["table"]) =>
	`p.kind as purpose, null::jsonb as account from ${table} t join gateway_profiles p on p.id = t.profile_id`;

const more = {
	platform_gateway_credentials: credentialsIn("platform_gateway_credentials"),
	gateway_credentials: credentialsIn("gateway_credentials"),
	intents: "null as purpose, null::jsonb as account from intents t",
	card_authorizations: "null as purpose, null::jsonb as account from card_authorizations t",
	card_subscriptions: "null as purpose, null::jsonb as account from card_subscriptions t",
	recipients:
		"null as purpose, jsonb_build_object('type', t.type, 'bankCode', t.bank_code, 'currency', t.currency) as account from recipients t",
} as const;

/** Runs work where the row is visible. */
const inOwner = <T>(db: Database, { tenantId }: OlderSeal, work: (tx: Database) => Promise<T>): Promise<T> =>
	tenantId === undefined ? work(db) : inTenant(db, tenantId, work);

/** Finds a row with a sealed value; undefined if it was removed. */
export function findSealedRow(db: Database, row: OlderSeal): Promise<SealedRow | undefined> {
	const [keyId, sealed] = columns[row.table];
	return inOwner(db, row, async (tx) => {
		const [found] = await tx.query<{ key_id: string; sealed: Buffer } & Omit<SealedRow, "value">>(
			`select t.${keyId} as key_id, t.${sealed} as sealed, ${more[row.table]}
			  where ${ofTenant(row.tenantId, "t.tenant_id", "$2")} and t.id = $1`,
			[row.id, row.tenantId ?? null],
		);
		if (found === undefined) return undefined;
		const { key_id, sealed: value, purpose, account } = found;
		return { value: { keyId: key_id, sealed: value }, purpose, account };
	});
}

/** Replaces a sealed value, and the fingerprint of a recipient, unless it was changed meanwhile. */
export async function replaceSeal(
	db: Database,
	row: OlderSeal,
	{ was, value, fingerprint }: { was: Sealed; value: Sealed; fingerprint: Buffer | undefined },
): Promise<void> {
	const [keyId, sealed] = columns[row.table];
	const change = fingerprint === undefined ? "" : ", account_fingerprint = $6";
	await inOwner(db, row, (tx) =>
		tx.query(
			`update ${row.table} set ${keyId} = $3, ${sealed} = $4${change}
			  where ${ofTenant(row.tenantId, "tenant_id", "$5")} and id = $1 and ${sealed} = $2`,
			[
				...[row.id, was.sealed, value.keyId, value.sealed, row.tenantId ?? null],
				...(fingerprint === undefined ? [] : [fingerprint]),
			],
		),
	);
}
