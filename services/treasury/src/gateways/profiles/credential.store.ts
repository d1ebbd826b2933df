import type { Database } from "@lango/postgres";
import type { SealedSecrets, ShownSecrets } from "./credential.ts";

/**
 * A stored credential. Until it is retired it verifies webhooks; the one without an end is used for calls.
 */
export type StoredCredential = SealedSecrets & {
	id: string;
	shown: ShownSecrets;
	setAt: Date;
	/** Undefined: it is the one for calls. */
	retiresAt: Date | undefined;
};

/** A row of `credentialColumns`. */
export type CredentialRow = {
	id: string;
	dek_key_id: string;
	dek_sealed: Buffer;
	sealed: Buffer;
	shown: ShownSecrets;
	set_at: Date;
	retires_at: Date | null;
};

/** The columns of a credential. */
export const credentialColumns = "id, dek_key_id, dek_sealed, sealed, shown, set_at, retires_at";

/** The credential of a row. */
export const fromCredentialRow = (row: CredentialRow): StoredCredential => ({
	...{ id: row.id, dek: { keyId: row.dek_key_id, sealed: row.dek_sealed }, sealed: row.sealed },
	...{ shown: row.shown, setAt: row.set_at, retiresAt: row.retires_at ?? undefined },
});

/**
 * Lists the credentials of a profile that are not retired, the one for calls first, then the newest.
 * Inside a tenant its own, outside the platform's.
 */
export async function listCredentials(
	db: Database,
	{ profileId, now }: { profileId: string; now: Date },
): Promise<StoredCredential[]> {
	const rows = await db.query<CredentialRow>(
		`select ${credentialColumns} from gateway_credentials
		  where profile_id = $1 and (retires_at is null or retires_at > $2)
		  order by retires_at desc nulls first, set_at desc limit 20`,
		[profileId, now],
	);
	return rows.map(fromCredentialRow);
}

/** Lets one transaction at a time change the credentials of an owner. */
export async function lockCredentials(
	tx: Database,
	{ profileId, tenantId }: { profileId: string; tenantId: string | undefined },
): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
		`gateway_credentials ${profileId} ${tenantId ?? "platform"}`,
	]);
}

/** A credential to store. `tenantId` undefined: the platform's, outside of a tenant. */
export type NewCredential = SealedSecrets & {
	id: string;
	tenantId: string | undefined;
	profileId: string;
	shown: ShownSecrets;
	now: Date;
};

/** Stores a credential as the one for calls. The one before ends at a time; undefined: now. */
export async function addCredential(
	db: Database,
	{ id, tenantId, profileId, dek, sealed, shown, now }: NewCredential,
	previousUntil = now,
): Promise<void> {
	await endCurrent(db, profileId, previousUntil);
	await db.query(
		`insert into gateway_credentials (id, tenant_id, profile_id, dek_key_id, dek_sealed, sealed, shown, set_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		[id, tenantId ?? null, profileId, dek.keyId, dek.sealed, sealed, JSON.stringify(shown), now],
	);
}

async function endCurrent(db: Database, profileId: string, at: Date): Promise<void> {
	await db.query(
		"update gateway_credentials set retires_at = $2 where profile_id = $1 and retires_at is null",
		[profileId, at],
	);
}

/** Retires a credential that is not for calls. Returns whether there was one. */
export async function retireCredential(
	db: Database,
	{ id, profileId, now }: { id: string; profileId: string; now: Date },
): Promise<boolean> {
	const rows = await db.query(
		`update gateway_credentials set retires_at = $3
		  where id = $1 and profile_id = $2 and retires_at > $3 returning id`,
		[id, profileId, now],
	);
	return rows.length > 0;
}
