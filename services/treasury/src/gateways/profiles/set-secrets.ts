import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { addCredential, listCredentials, lockCredentials } from "./credential.store.ts";
import { type GatewayKind, openSecrets, type Secrets, sealSecrets, showSecrets } from "./credential.ts";

/** Secrets that change; null removes one, absent ones stay. */
export type SecretChange = { readonly [K in keyof Secrets]?: string | null };

/** A change of the secrets of an owner. */
export type SetSecrets = {
	/** Undefined: the platform's. */
	tenantId: string | undefined;
	profileId: string;
	purpose: GatewayKind;
	change: SecretChange;
	/** Whether the secrets before are given up: a shortcode starts without those of the one before. */
	isFresh?: boolean;
	/** Until when the credential before verifies webhooks; undefined: it ends at once. */
	previousUntil?: Date;
	now: Date;
};

/** Stores changed secrets as a new credential, the one for calls. Without a change nothing is stored. */
export async function setSecrets(db: Database, keys: KeyEncryptionKeys, set: SetSecrets): Promise<void> {
	const { tenantId, isFresh = false, change } = set;
	if (Object.keys(change).length === 0 && !isFresh) return;
	const within = (work: (tx: Database) => Promise<void>) =>
		tenantId === undefined ? db.transaction(work) : inTenant(db, tenantId, work);
	await within((tx) => replaceCredential(tx, keys, set));
}

async function replaceCredential(tx: Database, keys: KeyEncryptionKeys, set: SetSecrets): Promise<void> {
	const { tenantId, profileId, purpose, change, isFresh = false, previousUntil, now } = set;
	const owner = tenantId === undefined ? ("platform" as const) : ("tenant" as const);
	await lockCredentials(tx, { profileId, tenantId });
	const [current] = isFresh ? [] : await listCredentials(tx, { tenantId, profileId, now });
	const before = current === undefined ? {} : openSecrets(keys, { owner, purpose, id: current.id }, current);
	const given = withoutNull(change);
	const secrets = withoutNull({ ...before, ...change });
	const shown = Object.fromEntries(
		Object.entries(showSecrets(current?.shown ?? {}, given, now)).filter(([name]) => name in secrets),
	);
	const id = randomUUID();
	const sealed = sealSecrets(keys, { owner, purpose, id }, secrets);
	await addCredential(tx, { ...sealed, id, tenantId, profileId, shown, now }, previousUntil);
}

const withoutNull = (secrets: SecretChange): Secrets =>
	Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== null)) as Secrets;
