import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import type { ShortcodeKind } from "../mobile-money/account.ts";

/** What happens to money for an account that is not known: it is accepted into suspense, or refused. */
type UnknownAccounts = "accept" | "reject";

/** The shortcode of a tenant and its rules, without secrets. */
export type TenantGateway = {
	shortcode: string;
	kind: ShortcodeKind;
	initiatorName: string | undefined;
	accountReference: string | undefined;
	unknownAccounts: UnknownAccounts;
	refundExcess: boolean;
	/** When a balance query with the tenant's own initiator proved that the shortcode is the tenant's. */
	verifiedAt: Date | undefined;
	urlsRegisteredAt: Date | undefined;
	version: number;
};

type Row = {
	mobile_money_shortcode: string;
	shortcode_kind: ShortcodeKind;
	initiator_name: string | null;
	account_ref: string | null;
	unknown_accounts: UnknownAccounts;
	refund_excess: boolean;
	verified_at: Date | null;
	urls_registered_at: Date | null;
	version: bigint;
};

/** Finds the shortcode of the tenant. Call it inside the tenant. */
export async function findTenantGateway(tx: Database): Promise<TenantGateway | undefined> {
	const [row] = await tx.query<Row>(
		`select mobile_money_shortcode, shortcode_kind, initiator_name, account_ref, unknown_accounts, refund_excess,
		        verified_at, urls_registered_at, version
		   from tenant_gateways where tenant_id = $1 and mobile_money_shortcode is not null`,
		[currentTenant(tx)],
	);
	return (
		row && {
			...{ shortcode: row.mobile_money_shortcode, kind: row.shortcode_kind },
			...{ initiatorName: row.initiator_name ?? undefined, accountReference: row.account_ref ?? undefined },
			...{ unknownAccounts: row.unknown_accounts, refundExcess: row.refund_excess },
			...{ verifiedAt: row.verified_at ?? undefined, urlsRegisteredAt: row.urls_registered_at ?? undefined },
			version: Number(row.version),
		}
	);
}

/**
 * Whether a shortcode is the tenant's, so that the gateway can be asked about requests from it. The secrets
 * of one that it had before are gone, as are those of a deleted tenant. Without a shortcode: whether it has
 * one. Call it inside the tenant.
 */
export async function isOwnShortcode(tx: Database, shortcode: string | null): Promise<boolean> {
	const own = (await findTenantGateway(tx))?.shortcode;
	return own !== undefined && (shortcode === null || shortcode === own);
}

/** Lists the ids of tenants with a shortcode, of those that are neither suspended nor deleted. */
export async function listShortcodeOwners(
	db: Database,
	{ after, limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select g.tenant_id from tenant_gateways g join tenants t on t.id = g.tenant_id
			  where g.mobile_money_shortcode is not null and t.status in ('active', 'unknown')
			    and ($1::uuid is null or g.tenant_id > $1)
			  order by g.tenant_id limit $2`,
			[after ?? null, limit],
		),
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

/** Whether a shortcode is the tenant's till: payments to it name no account. Call it inside the tenant. */
export async function isTillOf(tx: Database, shortcode: string): Promise<boolean> {
	const rows = await tx.query(
		"select from tenant_gateways where tenant_id = $2 and mobile_money_shortcode = $1 and shortcode_kind = 'till'",
		[shortcode, currentTenant(tx)],
	);
	return rows.length > 0;
}

/**
 * Gives a shortcode to the tenant. Returns whether it has it: no other tenant does. Call it inside the
 * tenant.
 */
export async function claimShortcode(
	tx: Database,
	{ tenantId, shortcode }: { tenantId: string; shortcode: string },
): Promise<boolean> {
	await tx.query(
		`insert into locators (kind, value, tenant_id, object_id) values ('shortcode', $1, $2, $2)
		 on conflict on constraint locators__pkey do nothing`,
		[shortcode, tenantId],
	);
	const own = await tx.query("select from locators where kind = 'shortcode' and value = $1", [shortcode]);
	return own.length > 0;
}

/** Gives up a shortcode of the tenant. Call it inside the tenant. */
export async function releaseShortcode(tx: Database, shortcode: string): Promise<void> {
	await tx.query("delete from locators where kind = 'shortcode' and value = $1", [shortcode]);
}

/** What is stored of a shortcode. */
export type TenantGatewayChange = Pick<
	TenantGateway,
	"shortcode" | "kind" | "initiatorName" | "accountReference" | "unknownAccounts" | "refundExcess"
>;

/**
 * Stores the shortcode of a tenant. Another shortcode is not verified, and its URLs are not registered.
 * Call it inside the tenant, after it claimed the shortcode.
 */
export async function saveTenantGateway(
	tx: Database,
	{ tenantId, change, now }: { tenantId: string; change: TenantGatewayChange; now: Date },
): Promise<void> {
	const {
		shortcode,
		kind,
		initiatorName = null,
		accountReference = null,
		unknownAccounts,
		refundExcess,
	} = change;
	await tx.query(
		`insert into tenant_gateways as g (tenant_id, mobile_money_shortcode, shortcode_kind, initiator_name, account_ref,
		   unknown_accounts, refund_excess, updated_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)
		 on conflict on constraint tenant_gateways__pkey do update set
		   mobile_money_shortcode = excluded.mobile_money_shortcode, shortcode_kind = excluded.shortcode_kind,
		   initiator_name = excluded.initiator_name, account_ref = excluded.account_ref,
		   unknown_accounts = excluded.unknown_accounts, refund_excess = excluded.refund_excess,
		   verified_at = case when g.mobile_money_shortcode = excluded.mobile_money_shortcode then g.verified_at end,
		   urls_registered_at =
		     case when g.mobile_money_shortcode = excluded.mobile_money_shortcode then g.urls_registered_at end,
		   version = g.version + 1, updated_at = excluded.updated_at`,
		[tenantId, shortcode, kind, initiatorName, accountReference, unknownAccounts, refundExcess, now],
	);
}

/**
 * Records that the tenant's own initiator reads the balance of the shortcode, so that it is active in
 * production. Returns false if it was verified before. Call it inside the tenant.
 */
export async function recordShortcodeVerified(tx: Database, shortcode: string, now: Date): Promise<boolean> {
	const rows = await tx.query(
		`update tenant_gateways set verified_at = $2, version = version + 1
		  where tenant_id = $3 and mobile_money_shortcode = $1 and verified_at is null returning tenant_id`,
		[shortcode, now, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** Records that the gateway has the addresses of the shortcode. Call it inside the tenant. */
export async function recordUrlsRegistered(tx: Database, shortcode: string, now: Date): Promise<void> {
	await tx.query(
		"update tenant_gateways set urls_registered_at = $2, version = version + 1 where tenant_id = $3 and mobile_money_shortcode = $1",
		[shortcode, now, currentTenant(tx)],
	);
}
