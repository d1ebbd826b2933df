import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import type { PersonKey } from "./pin-failure.store.ts";

/** A person who may sign in at a till, with the hash of their PIN. */
export type PinHolder = {
	userId: string;
	name: string;
	email: string;
	pinId: string;
	pinHash: string;
	/** Null: at every till. */
	outletId: string | null;
};

type HolderRow = {
	user_id: string;
	name: string;
	email: string;
	pin_id: string;
	pin_hash: string;
	outlet_id: string | null;
};

/**
 * Returns the person with this sign-on id and their PIN, undefined if not found. Call it inside the tenant.
 */
export async function findPinHolder(
	tx: Database,
	{ tenantId, subject }: { tenantId: string; subject: string },
): Promise<PinHolder | undefined> {
	const [row] = await tx.query<HolderRow>(
		`select u.id as user_id, u.name, u.email, p.id as pin_id, p.pin_hash, p.outlet_id
		   from users u join pins p on p.tenant_id = u.tenant_id and p.user_id = u.id
		  where u.tenant_id = $1 and u.auth_service_user_id = $2`,
		[tenantId, subject],
	);
	if (row === undefined) return undefined;
	const { user_id: userId, name, email, pin_id: pinId, pin_hash: pinHash, outlet_id: outletId } = row;
	return { userId, name, email, pinId, pinHash, outletId };
}

/**
 * Locks a person's PIN until the transaction ends. Returns the outlet where it is valid, null: every outlet;
 * undefined if the person has no PIN. Call it inside the tenant.
 */
export async function lockPin(
	tx: Database,
	{ tenantId, userId }: PersonKey,
): Promise<{ outletId: string | null } | undefined> {
	await tx.query("select pg_advisory_xact_lock(hashtext('pins'), hashtext($1))", [userId]);
	const [row] = await tx.query<{ outlet_id: string | null }>(
		"select outlet_id from pins where tenant_id = $1 and user_id = $2",
		[tenantId, userId],
	);
	return row && { outletId: row.outlet_id };
}

/** The outlet of a new PIN, null: every outlet; `isKept`: a PIN that is set already keeps its outlet. */
export type PinOutlet = { id: string | null; isKept: boolean };

export type NewPin = {
	tenantId: string;
	userId: string;
	pinHash: string;
	outlet: PinOutlet;
	setBy: string;
	now: Date;
};

/**
 * Sets a person's PIN and ends the sessions of the previous one. Returns the outlet where it is valid, null:
 * every outlet. Call it inside the tenant.
 */
export async function recordPin(
	tx: Database,
	{ tenantId, userId, pinHash, outlet, setBy, now }: NewPin,
): Promise<string | null> {
	const [row] = await tx.query<{ outlet_id: string | null }>(
		`insert into pins (tenant_id, user_id, id, pin_hash, outlet_id, set_by, set_at)
		 values ($1, $2, $3, $4, $6, $7, $8)
		 on conflict (tenant_id, user_id) do update
		    set id = excluded.id, pin_hash = excluded.pin_hash, set_by = excluded.set_by, set_at = excluded.set_at,
		        outlet_id = case when $5 then excluded.outlet_id else pins.outlet_id end
		 returning outlet_id`,
		[tenantId, userId, randomUUID(), pinHash, !outlet.isKept, outlet.id, setBy, now],
	);
	if (row === undefined) throw new Error("recording a PIN returned nothing");
	return row.outlet_id;
}

/** Removes a person's PIN. Returns whether there was one. Call it inside the tenant. */
export async function removePin(tx: Database, { tenantId, userId }: PersonKey): Promise<boolean> {
	const rows = await tx.query("delete from pins where tenant_id = $1 and user_id = $2 returning user_id", [
		tenantId,
		userId,
	]);
	return rows.length > 0;
}

/** Returns whether any person of a tenant has a PIN. Call it inside the tenant. */
export async function hasPins(tx: Database, tenantId: string): Promise<boolean> {
	const rows = await tx.query("select user_id from pins where tenant_id = $1 limit 1", [tenantId]);
	return rows.length > 0;
}
