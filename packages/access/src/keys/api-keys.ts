import { type Database, inTenant } from "@lango/postgres";
import { findUnknownOutlet } from "@lango/tenancy";
import { type Actor, recordAudit } from "../audit/audit.store.ts";
import { AccessRefused, UnknownToAccess } from "../permissions/refusal.ts";
import { lockAccess } from "../roles/role.store.ts";
import {
	countApiKeys,
	type NewApiKey,
	recordApiKey,
	recordPlatformKey,
	revokeApiKey,
	revokePlatformKey,
} from "./api-key.store.ts";

/** The actor of a change of a key, and its request. */
export type KeyChange = { by: Actor; now: Date; requestId?: string; address?: string };

const keysMax = 100;

/**
 * Creates a tenant's key, with an audit entry. Throws AccessRefused `api_keys_full` if the tenant has a
 * hundred active keys, UnknownToAccess for an archived or unknown outlet.
 */
export async function createApiKey(
	db: Database,
	key: Omit<NewApiKey, "now">,
	change: KeyChange,
): Promise<void> {
	const { tenantId, id } = key;
	await inTenant(db, tenantId, async (tx) => {
		await lockAccess(tx, tenantId);
		if ((await countApiKeys(tx, tenantId, change.now)) >= keysMax) throw new AccessRefused("api_keys_full");
		const unknown = await findUnknownOutlet(tx, tenantId, key.outletIds ?? []);
		if (unknown !== undefined) throw new UnknownToAccess("outlets", unknown);
		await recordApiKey(tx, { ...key, now: change.now });
		await recordChange(tx, change, { tenantId, action: "api_key.created", id, detail: detailOf(key) });
	});
}

/**
 * Creates a key for all tenants, with an audit entry of the platform. Call it after the caller was verified
 * to be the platform owner.
 */
export async function createPlatformKey(
	db: Database,
	key: Omit<NewApiKey, "now" | "tenantId">,
	change: KeyChange,
): Promise<void> {
	await db.transaction(async (tx) => {
		await recordPlatformKey(tx, { ...key, now: change.now });
		await recordChange(tx, change, {
			tenantId: undefined,
			action: "api_key.created",
			id: key.id,
			detail: detailOf(key),
		});
	});
}

/** Revokes a tenant's key, with an audit entry. Idempotent. Throws UnknownToAccess. */
export async function endApiKey(
	db: Database,
	{ tenantId, id }: { tenantId: string; id: string },
	change: KeyChange,
): Promise<void> {
	await inTenant(db, tenantId, async (tx) => {
		const outcome = await revokeApiKey(tx, { tenantId, id, now: change.now });
		if (outcome === "unknown") throw new UnknownToAccess("api_key", id);
		if (outcome === "revoked")
			await recordChange(tx, change, { tenantId, action: "api_key.revoked", id, detail: {} });
	});
}

/** Revokes a key for all tenants, with an audit entry of the platform. Throws UnknownToAccess. */
export async function endPlatformKey(db: Database, id: string, change: KeyChange): Promise<void> {
	await db.transaction(async (tx) => {
		if (!(await revokePlatformKey(tx, { id, now: change.now }))) throw new UnknownToAccess("api_key", id);
		await recordChange(tx, change, { tenantId: undefined, action: "api_key.revoked", id, detail: {} });
	});
}

const detailOf = ({
	name,
	permissions,
	expiresAt,
	outletIds,
}: Pick<NewApiKey, "name" | "permissions" | "expiresAt" | "outletIds">) => ({
	name,
	permissions,
	expiresAt: expiresAt ?? null,
	outletIds: outletIds ?? null,
});

type ChangeRecord = {
	tenantId: string | undefined;
	action: "api_key.created" | "api_key.revoked";
	id: string;
	detail: Readonly<Record<string, unknown>>;
};

async function recordChange(
	tx: Database,
	change: KeyChange,
	{ tenantId, action, id, detail }: ChangeRecord,
): Promise<void> {
	const { by: actor, now: at, requestId, address } = change;
	await recordAudit(tx, {
		tenantId,
		at,
		actor,
		action,
		subject: id,
		detail,
		...(requestId !== undefined && { requestId }),
		...(address !== undefined && { address }),
	});
}
