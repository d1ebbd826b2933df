import { currentTenant, type Database } from "@lango/postgres";
import type { PaymentPage, PaymentPageStatus } from "./payment-page.ts";

type Row = {
	tenant_id: string;
	id: string;
	status: PaymentPageStatus;
	name: string;
	description: string;
	amount_minor: string | null;
	currency: string;
	metadata: PaymentPage["metadata"];
	link: string | null;
	failure_code: string | null;
	fingerprint: Buffer;
	created_at: Date;
};

const columns = `tenant_id, id, status, name, description, amount_minor, currency, metadata, link, failure_code, fingerprint,
	created_at`;

/** A page with the hash of its request: the same key with another hash is refused. */
export type StoredPage = PaymentPage & { fingerprint: Buffer };

const fromRow = (row: Row): StoredPage => ({
	...{ tenantId: row.tenant_id, id: row.id, status: row.status, name: row.name },
	description: row.description,
	amountMinor: row.amount_minor === null ? null : BigInt(row.amount_minor),
	...{ currency: row.currency, metadata: row.metadata, link: row.link, failureCode: row.failure_code },
	...{ fingerprint: row.fingerprint, createdAt: row.created_at },
});

export type NewPage = Omit<StoredPage, "status" | "link" | "failureCode"> & {
	tokenHash: string;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
};

/**
 * Records a page that the gateway is about to be asked for. Returns undefined if there is one of its
 * Idempotency-Key. Call it inside the tenant.
 */
export async function recordPage(tx: Database, page: NewPage): Promise<StoredPage | undefined> {
	const [row] = await tx.query<Row>(
		`insert into payment_pages (tenant_id, id, status, name, description, amount_minor, currency, metadata, created_by_kind,
		   created_by, idempotency_key, fingerprint, created_at)
		 values ($1, $2, 'creating', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		 on conflict (tenant_id, created_by_kind, created_by, idempotency_key) do nothing returning ${columns}`,
		[
			...[page.tenantId, page.id, page.name, page.description, page.amountMinor, page.currency],
			...[JSON.stringify(page.metadata), page.createdBy.kind, page.createdBy.id],
			...[page.idempotencyKey ?? null, page.fingerprint, page.createdAt],
		],
	);
	if (row === undefined) return undefined;
	await tx.query(
		"insert into locators (kind, value, tenant_id, object_id) values ('page_token', $1, $2, $3)",
		[page.tokenHash, page.tenantId, page.id],
	);
	return fromRow(row);
}

/** Returns the page that a caller made with an Idempotency-Key. Call it inside the tenant. */
export async function findPageByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: NewPage["createdBy"]; key: string },
): Promise<StoredPage | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from payment_pages where tenant_id = $4 and created_by_kind = $1 and created_by = $2 and idempotency_key = $3`,
		[createdBy.kind, createdBy.id, key, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns a page, locked. Call it inside the tenant. */
export async function lockPage(tx: Database, id: string): Promise<StoredPage | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from payment_pages where tenant_id = $2 and id = $1 for update`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Lists pages, the newest first. Call it inside the tenant. */
export async function listPages(
	tx: Database,
	{ after, limit }: { after: string | undefined; limit: number },
): Promise<StoredPage[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payment_pages where tenant_id = $3 and ($1::uuid is null or id < $1) order by id desc limit $2`,
		[after ?? null, limit, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Stores the address that the gateway gave a page. Call it inside the tenant. */
export const activatePage = (tx: Database, id: string, link: string): Promise<StoredPage> =>
	update(tx, "status = 'active', link = $2", [id, link]);

/** Stores why the gateway refused a page. Call it inside the tenant. */
export const failPage = (tx: Database, id: string, code: string): Promise<StoredPage> =>
	update(tx, "status = 'failed', failure_code = $2", [id, code]);

/** Removes a page that the gateway did not take now. Call it inside the tenant. */
export async function removePage(tx: Database, id: string): Promise<undefined> {
	await tx.query("delete from locators where kind = 'page_token' and object_id = $1", [id]);
	await tx.query("delete from payment_pages where tenant_id = $2 and id = $1 and status = 'creating'", [
		id,
		currentTenant(tx),
	]);
}

async function update(tx: Database, change: string, values: [id: string, value: string]) {
	const [row] = await tx.query<Row>(
		`update payment_pages set ${change} where tenant_id = $3 and id = $1 returning ${columns}`,
		[...values, currentTenant(tx)],
	);
	if (row === undefined) throw new Error(`the payment page ${values[0]} is missing`);
	return fromRow(row);
}
