import { currentTenant, type Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Recipient } from "./recipient.ts";

const columns = `id, type, name, bank_code, bank_name, masked_account, currency, recipient_code, created_at, revoked_at,
	(extract(epoch from created_at) * 1000000)::bigint::text as place`;

type Row = {
	id: string;
	type: Recipient["type"];
	name: string;
	bank_code: string;
	bank_name: string | null;
	masked_account: string;
	currency: string;
	recipient_code: string;
	created_at: Date;
	revoked_at: Date | null;
	place: string;
};

const fromRow = (row: Row): Recipient & { place: string } => ({
	...{ id: row.id, type: row.type, name: row.name, bankCode: row.bank_code },
	...{ bankName: row.bank_name ?? undefined, maskedAccount: row.masked_account, currency: row.currency },
	...{ recipientCode: row.recipient_code, createdAt: row.created_at, place: row.place },
	revokedAt: row.revoked_at ?? undefined,
});

/**
 * Lists the recipients of the tenant, also those that were removed, the newest first. Call it inside the
 * tenant.
 */
export async function listRecipients(
	tx: Database,
	{ after, limit }: { after: readonly [string, string] | undefined; limit: number },
): Promise<Array<Recipient & { place: string }>> {
	const rows = await tx.query<Row>(
		`select ${columns} from recipients
		  where tenant_id = $4
		    and ($1::bigint is null or (created_at, id) < (timestamptz 'epoch' + $1 * interval '1 microsecond', $2::uuid))
		  order by created_at desc, id desc limit $3`,
		[after?.[0] ?? null, after?.[1] ?? null, limit, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Finds an active recipient. Call it inside the tenant. */
export async function findRecipient(tx: Database, id: string): Promise<Recipient | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from recipients where tenant_id = $2 and id = $1 and revoked_at is null`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns those of the ids that are of active recipients. Call it inside the tenant. */
export async function listActive(tx: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
	const rows = await tx.query<{ id: string }>(
		"select id from recipients where tenant_id = $2 and id = any ($1) and revoked_at is null",
		[ids, currentTenant(tx)],
	);
	return new Set(rows.map(({ id }) => id));
}

/** Finds the active recipient of an account. Call it inside the tenant. */
export async function findRecipientOf(
	tx: Database,
	fingerprints: readonly Buffer[],
): Promise<Recipient | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from recipients where tenant_id = $2 and account_fingerprint = any ($1) and revoked_at is null`,
		[fingerprints, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Counts the active recipients of the tenant. Call it inside the tenant. */
export async function countRecipients(tx: Database): Promise<number> {
	const [row] = await tx.query<{ found: number }>(
		"select count(*)::integer as found from recipients where tenant_id = $1 and revoked_at is null",
		[currentTenant(tx)],
	);
	return row?.found ?? 0;
}

/**
 * Adds a recipient unless the account has one meanwhile. Returns whether it was added. Call it inside the
 * tenant.
 */
export async function addRecipient(
	tx: Database,
	recipient: Omit<Recipient, "revokedAt"> & { tenantId: string; account: Sealed; fingerprint: Buffer },
): Promise<boolean> {
	const { tenantId, id, type, name, bankCode, bankName = null, maskedAccount, currency } = recipient;
	const { recipientCode, createdAt, account, fingerprint } = recipient;
	const rows = await tx.query(
		`insert into recipients (tenant_id, id, type, name, bank_code, bank_name, masked_account, currency, recipient_code,
		   account_key_id, account_sealed, account_fingerprint, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		 on conflict (tenant_id, account_fingerprint) where revoked_at is null do nothing returning id`,
		[
			...[tenantId, id, type, name, bankCode, bankName, maskedAccount, currency, recipientCode],
			...[account.keyId, account.sealed, fingerprint, createdAt],
		],
	);
	return rows.length > 0;
}

/**
 * Whether payouts to a recipient have not ended. The payouts of the tenant are locked. Call it inside the
 * tenant.
 */
export async function isPaidTo(tx: Database, id: string): Promise<boolean> {
	const rows = await tx.query(
		"select from payouts where tenant_id = $2 and recipient_id = $1 and ended_at is null limit 1",
		[id, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** Removes a recipient. Returns whether there was an active one. Call it inside the tenant. */
export async function revokeRecipient(tx: Database, id: string, now: Date): Promise<boolean> {
	const rows = await tx.query(
		"update recipients set revoked_at = $2 where tenant_id = $3 and id = $1 and revoked_at is null returning id",
		[id, now, currentTenant(tx)],
	);
	return rows.length > 0;
}
