import type { Database } from "@lango/postgres";

/** Tables with values that are encrypted under a key-encryption key. */
export const sealedTables = [
	"platform_gateway_credentials",
	"gateway_credentials",
	"intents",
	"recipients",
	"card_authorizations",
	"card_subscriptions",
] as const;
type SealedTable = (typeof sealedTables)[number];

/** A row whose value is under an older key. A credential of the platform has no tenant. */
export type OlderSeal = { table: SealedTable; tenantId: string | undefined; id: string };

/** Lists rows of all tenants, and of the platform, that are not under the newest key. */
export async function listOlderSeals(
	db: Database,
	{ newest, limit }: { newest: string; limit: number },
): Promise<OlderSeal[]> {
	const rows = await db.query<{ place: SealedTable; tenant_id: string | null; id: string }>(
		"select place, tenant_id, id from list_older_seals($1, $2)",
		[newest, limit],
	);
	return rows.map(({ place, tenant_id, id }) => ({ table: place, tenantId: tenant_id ?? undefined, id }));
}
