import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { countTenantRows, repointTenant } from "@lango/testkit";
import { expect } from "vitest";
import { addRecipient } from "../../src/recipients/recipient.store.ts";

/** Two ids of one tenant: everything of `from` goes to `to`. */
export type TwoIds = { from: string; to: string };

/** Adds two ids of a tenant that are not merged yet. */
export async function addTwoIds(db: Database): Promise<TwoIds> {
	const ids = { from: randomUUID(), to: randomUUID() };
	for (const id of [ids.from, ids.to]) await ensureTenant(db, id);
	return ids;
}

/** Merges two ids of a tenant; nothing is left under the former one. */
export async function merge(db: Database, { from, to }: TwoIds): Promise<void> {
	const [row] = await db.query<{ slug: string }>("select slug from tenants where id = $1", [from]);
	await repointTenant(db, { slug: row?.slug ?? "", from, to });
	expect(Object.values(await countTenantRows(db, from)).every((many) => many === 0)).toBe(true);
}

type Added = { id: string; code: string };

/** Registers an account as a recipient of payouts of a tenant. */
export async function addAccount(
	db: Database,
	tenantId: string,
	{ account, at }: { account: string; at: Date },
): Promise<Added> {
	const added = { id: randomUUID(), code: `RCP_${randomUUID()}` };
	await inTenant(db, tenantId, (tx) =>
		addRecipient(tx, {
			...{ tenantId, id: added.id, type: "bank", name: "Uhai Hospital", bankCode: "11", bankName: undefined },
			...{ maskedAccount: "•••• 0001", currency: "KES", recipientCode: added.code, createdAt: at },
			...{ account: { keyId: "test", sealed: Buffer.alloc(32) }, fingerprint: Buffer.from(account) },
		}),
	);
	return added;
}
