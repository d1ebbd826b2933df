import type { Database } from "@lango/postgres";

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
export async function findPinHolder(tx: Database, subject: string): Promise<PinHolder | undefined> {
	const [row] = await tx.query<HolderRow>(
		`select u.id as user_id, u.name, u.email, p.id as pin_id, p.pin_hash, p.outlet_id
		   from users u join pins p on p.user_id = u.id where u.auth_service_user_id = $1`,
		[subject],
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
	userId: string,
): Promise<{ outletId: string | null } | undefined> {
	await tx.query("select pg_advisory_xact_lock(hashtext('pins'), hashtext($1))", [userId]);
	const [row] = await tx.query<{ outlet_id: string | null }>(
		"select outlet_id from pins where user_id = $1",
		[userId],
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
 * Sets a person's PIN and ends the sessions of the previous one. Returns whether there was one. Call it
 * inside the tenant.
 */
export async function recordPin(
	tx: Database,
	{ tenantId, userId, pinHash, outlet, setBy, now }: NewPin,
): Promise<{ outletId: string | null; wasSet: boolean }> {
	const [row] = await tx.query<{ outlet_id: string | null; was_set: boolean }>(
		`with before as (select outlet_id from pins where user_id = $2)
		 insert into pins (tenant_id, user_id, pin_hash, outlet_id, set_by, set_at)
		 values ($1, $2, $3, $5, $6, $7)
		 on conflict (tenant_id, user_id) do update
		    set id = gen_random_uuid(), pin_hash = excluded.pin_hash, set_by = excluded.set_by, set_at = excluded.set_at,
		        outlet_id = case when $4 then excluded.outlet_id else pins.outlet_id end
		 returning outlet_id, exists (select from before) as was_set`,
		[tenantId, userId, pinHash, !outlet.isKept, outlet.id, setBy, now],
	);
	if (row === undefined) throw new Error("recording a PIN returned nothing");
	return { outletId: row.outlet_id, wasSet: row.was_set };
}

/** Removes a person's PIN. Returns whether there was one. Call it inside the tenant. */
export async function removePin(tx: Database, userId: string): Promise<boolean> {
	const rows = await tx.query("delete from pins where user_id = $1 returning user_id", [userId]);
	return rows.length > 0;
}

/** Returns whether any person of the transaction's tenant has a PIN. */
export async function hasPins(tx: Database): Promise<boolean> {
	const rows = await tx.query("select user_id from pins limit 1");
	return rows.length > 0;
}
