import { type Database, ofTenant } from "@lango/postgres";
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

/** The owner of a credential: a tenant, or the platform (undefined). */
export type CredentialOwner = { tenantId: string | undefined };

/** The credentials of the platform have a table of their own. */
const tableOf = ({ tenantId }: CredentialOwner) =>
	tenantId === undefined ? "platform_gateway_credentials" : "gateway_credentials";

/** The columns of a credential. */
export const credentialColumns = "id, dek_key_id, dek_sealed, sealed, shown, set_at, retires_at";

/** The credential of a row. */
export const fromCredentialRow = (row: CredentialRow): StoredCredential => ({
	...{ id: row.id, dek: { keyId: row.dek_key_id, sealed: row.dek_sealed }, sealed: row.sealed },
	...{ shown: row.shown, setAt: row.set_at, retiresAt: row.retires_at ?? undefined },
});

/**
 * Lists the credentials of an owner for a profile that are not retired, the one for calls first, then the
 * newest. Call it inside the tenant; for the platform outside of a tenant.
 */
export async function listCredentials(
	db: Database,
	{ profileId, now, ...owner }: CredentialOwner & { profileId: string; now: Date },
): Promise<StoredCredential[]> {
	const rows = await db.query<CredentialRow>(
		`select ${credentialColumns} from ${tableOf(owner)}
		  where ${ofTenant(owner.tenantId, "tenant_id", "$3")} and profile_id = $1 and (retires_at is null or retires_at > $2)
		  order by retires_at desc nulls first, set_at desc limit 20`,
		[profileId, now, owner.tenantId ?? null],
	);
	return rows.map(fromCredentialRow);
}

/** Lets one transaction at a time change the credentials of an owner. */
export async function lockCredentials(
	tx: Database,
	{ profileId, tenantId }: CredentialOwner & { profileId: string },
): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
		`gateway_credentials ${profileId} ${tenantId ?? "platform"}`,
	]);
}

/** A credential to store. */
export type NewCredential = SealedSecrets &
	CredentialOwner & { id: string; profileId: string; shown: ShownSecrets; now: Date };

/** Stores a credential as the one for calls. The one before ends at a time; undefined: now. */
export async function addCredential(
	db: Database,
	{ id, tenantId, profileId, dek, sealed, shown, now }: NewCredential,
	previousUntil = now,
): Promise<void> {
	const table = tableOf({ tenantId });
	await db.query(
		`update ${table} set retires_at = $2
		  where ${ofTenant(tenantId, "tenant_id", "$3")} and profile_id = $1 and retires_at is null`,
		[profileId, previousUntil, tenantId ?? null],
	);
	const [column, value, owner] = tenantId === undefined ? ["", "", []] : [", tenant_id", ", $8", [tenantId]];
	await db.query(
		`insert into ${table} (id, profile_id, dek_key_id, dek_sealed, sealed, shown, set_at${column})
		 values ($1, $2, $3, $4, $5, $6, $7${value})`,
		[id, profileId, dek.keyId, dek.sealed, sealed, JSON.stringify(shown), now, ...owner],
	);
}

/** Retires a credential of the platform that is not for calls. Returns whether there was one. */
export async function retirePlatformCredential(
	db: Database,
	{ id, profileId, now }: { id: string; profileId: string; now: Date },
): Promise<boolean> {
	const rows = await db.query(
		`update platform_gateway_credentials set retires_at = $3
		  where id = $1 and profile_id = $2 and retires_at > $3 returning id`,
		[id, profileId, now],
	);
	return rows.length > 0;
}
