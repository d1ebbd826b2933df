import { type AuditEntry, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { gatewayFailures } from "../calls/failures.ts";
import { getMobileMoneyProfile } from "../profiles/profile.store.ts";
import { type SecretChange, setSecrets } from "../profiles/set-secrets.ts";
import {
	claimShortcode,
	findTenantGateway,
	releaseShortcode,
	saveTenantGateway,
	type TenantGatewayChange,
} from "../shortcodes/tenant-gateway.store.ts";

/** A shortcode of a tenant that changes. */
export type ConfigureShortcode = {
	tenantId: string;
	change: TenantGatewayChange;
	secrets: SecretChange;
	by: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/**
 * Stores the shortcode of a tenant. Secrets that are absent stay, unless the shortcode is another one: it
 * begins without those of the one before. Throws `shortcode_taken`.
 */
export async function configureShortcode(
	{ db, now, keys }: { db: Database; now: () => Date; keys: KeyEncryptionKeys },
	{ tenantId, change, secrets, by }: ConfigureShortcode,
): Promise<void> {
	const { id: profileId } = await getMobileMoneyProfile(db);
	const at = now();
	await inTenant(db, tenantId, async (tx) => {
		const before = (await findTenantGateway(tx))?.shortcode;
		const isFresh = before !== undefined && before !== change.shortcode;
		if (isFresh) await releaseShortcode(tx, before);
		if (!(await claimShortcode(tx, { tenantId, shortcode: change.shortcode })))
			throw gatewayFailures.shortcode_taken({ fields: { field: "shortcode", in: "body" } });
		await saveTenantGateway(tx, { tenantId, change, now: at });
		const set = { tenantId, profileId, purpose: "mobile_money" as const, change: secrets, isFresh, now: at };
		await setSecrets(tx, keys, set);
		const detail = { ...change, secrets: Object.keys(secrets) };
		const { shortcode: subject } = change;
		await recordAudit(tx, { tenantId, at, ...by, action: "shortcode.changed", subject, detail });
	});
}
