import { currentTenant, type Database } from "@lango/postgres";
import { findLocator, type Located } from "../payments/locator.store.ts";
import type {
	Gateway,
	Moved,
	Receipt,
	ReceiptChannel,
	ReceiptFlag,
	ReceiptKind,
	ReceiptPlace,
} from "./receipt.ts";

/** A row of `receiptColumns`. */
export type ReceiptRow = {
	tenant_id: string;
	id: string;
	kind: ReceiptKind;
	gateway: Gateway;
	receipt: string | null;
	shortcode: string | null;
	channel: ReceiptChannel;
	custody: Receipt["custody"];
	amount_minor: string;
	currency: string;
	fee_minor: string;
	is_fee_estimated: boolean;
	is_fee_passed_on: boolean;
	occurred_at: Date;
	account_ref: string | null;
	payer_masked: string | null;
	state: Receipt["state"];
	allocated_minor: string;
	platform_minor: string;
	refunded_minor: string;
	is_duplicate: boolean;
	settled_at: Date | null;
	attempt_id: string | null;
	created_at: Date;
	flag: ReceiptFlag | null;
	object_kind: Moved["kind"] | null;
	object_id: string | null;
};

/** The columns of a receipt. */
export const receiptColumns = `tenant_id, id, kind, gateway, receipt, shortcode, channel, custody, amount_minor, currency, fee_minor, is_fee_estimated,
	is_fee_passed_on, occurred_at, account_ref, payer_masked, state, allocated_minor, platform_minor, refunded_minor, is_duplicate,
	settled_at, attempt_id, created_at, flag, object_kind, object_id`;

/** Builds a receipt from its row. */
export const fromReceiptRow = (row: ReceiptRow): Receipt => ({
	tenantId: row.tenant_id,
	id: row.id,
	kind: row.kind,
	gateway: row.gateway,
	receipt: row.receipt,
	shortcode: row.shortcode,
	channel: row.channel,
	custody: row.custody,
	amountMinor: BigInt(row.amount_minor),
	currency: row.currency,
	feeMinor: BigInt(row.fee_minor),
	isFeeEstimated: row.is_fee_estimated,
	isFeePassedOn: row.is_fee_passed_on,
	occurredAt: row.occurred_at,
	accountRef: row.account_ref,
	payerMasked: row.payer_masked,
	state: row.state,
	allocatedMinor: BigInt(row.allocated_minor),
	platformMinor: BigInt(row.platform_minor),
	refundedMinor: BigInt(row.refunded_minor),
	isDuplicate: row.is_duplicate,
	settledAt: row.settled_at,
	attemptId: row.attempt_id,
	createdAt: row.created_at,
	flag: row.flag,
	moved: movedOf(row),
});

const movedOf = ({ object_kind: kind, object_id: id }: ReceiptRow): Moved | null =>
	kind === null || id === null ? null : { kind, id };

/** A receipt of what a payer paid, as it is recorded. */
export type NewReceipt = Omit<
	Receipt,
	"kind" | "moved" | "refundedMinor" | "settledAt" | "isDuplicate" | "flag"
>;

/** The same movement of money is known already, in this tenant or in another one. */
class ReceiptKnown extends Error {
	constructor(receipt: string) {
		super(`the receipt ${receipt} is recorded already`);
		this.name = "ReceiptKnown";
	}
}

/**
 * Records a collection. Throws ReceiptKnown if its number is known, in any tenant. What is not
 * verified claims no number: it must not keep the true statement out. Call it inside the tenant.
 */
export async function recordReceipt(tx: Database, receipt: NewReceipt): Promise<Receipt> {
	const { gateway, receipt: number, state } = receipt;
	if (number !== null && state === "verified")
		await claimNumber(tx, { tenantId: receipt.tenantId, id: receipt.id, gateway, receipt: number });
	const [row] = await tx.query<ReceiptRow>(
		`insert into receipts (tenant_id, id, gateway, kind, receipt, shortcode, channel, custody, amount_minor, currency, fee_minor,
		   is_fee_estimated, is_fee_passed_on, occurred_at, account_ref, payer_masked, state, allocated_minor, platform_minor,
		   attempt_id, created_at)
		 values ($1, $2, $3, 'collection', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
		 returning ${receiptColumns}`,
		[
			...[receipt.tenantId, receipt.id, receipt.gateway, receipt.receipt, receipt.shortcode, receipt.channel],
			...[receipt.custody, receipt.amountMinor, receipt.currency, receipt.feeMinor],
			...[receipt.isFeeEstimated, receipt.isFeePassedOn],
			...[receipt.occurredAt, receipt.accountRef, receipt.payerMasked, receipt.state, receipt.allocatedMinor],
			...[receipt.platformMinor, receipt.attemptId, receipt.createdAt],
		],
	);
	if (row === undefined) throw new Error("the receipt was not recorded");
	return fromReceiptRow(row);
}

type Numbered = Pick<Receipt, "tenantId" | "id" | "gateway"> & { receipt: string };

const locationOf = (gateway: Gateway, receipt: string) => `${gateway}:collection:${receipt}`;

/** Finds the receipt that is counted under a number, in any tenant. */
export const findCounted = (tx: Database, gateway: Gateway, receipt: string): Promise<Located | undefined> =>
	findLocator(tx, "receipt", locationOf(gateway, receipt));

/** The locator makes the number unique over all tenants. */
async function claimNumber(tx: Database, { tenantId, id, gateway, receipt }: Numbered): Promise<void> {
	const [claimed] = await tx.query(
		`insert into locators (kind, value, tenant_id, object_id) values ('receipt', $1, $2, $3)
		 on conflict do nothing returning object_id`,
		[locationOf(gateway, receipt), tenantId, id],
	);
	if (claimed === undefined) throw new ReceiptKnown(receipt);
}

/** Stores the number of a receipt that had none. Throws ReceiptKnown. Call it inside the tenant. */
export async function numberReceipt(
	tx: Database,
	{ occurredAt, payerMasked, ...numbered }: Numbered & Pick<Receipt, "occurredAt" | "payerMasked">,
): Promise<void> {
	await claimNumber(tx, numbered);
	await tx.query(
		"update receipts set receipt = $2, occurred_at = $3, payer_masked = coalesce($4, payer_masked) where tenant_id = $5 and id = $1",
		[numbered.id, numbered.receipt, occurredAt, payerMasked, currentTenant(tx)],
	);
}

/** Flags a receipt: a person should look at it. Call it inside the tenant. */
export async function flagReceipt(
	tx: Database,
	{ gateway, receipt, flag }: { gateway: Gateway; receipt: string; flag: ReceiptFlag },
): Promise<void> {
	await tx.query(
		"update receipts set flag = $3 where tenant_id = $4 and gateway = $1 and kind = 'collection' and receipt = $2",
		[...[gateway, receipt, flag], currentTenant(tx)],
	);
}

/**
 * Takes the number off a receipt, with its masked payer: it may be given to another one. A prompt's is of the
 * time again when it was found paid. Call it inside the tenant.
 */
export async function removeNumber(tx: Database, id: string): Promise<void> {
	await tx.query(
		`update receipts r
		    set receipt = null, payer_masked = null,
		        occurred_at = coalesce((select a.ended_at from attempts a where a.tenant_id = $2 and a.id = r.attempt_id), r.occurred_at)
		  where r.tenant_id = $2 and r.id = $1`,
		[id, currentTenant(tx)],
	);
	await tx.query("delete from locators where kind = 'receipt' and object_id = $1", [id]);
}

/** Removes a receipt that was counted by another one, too, with its number. Call it inside the tenant. */
export async function removeDuplicate(tx: Database, id: string): Promise<void> {
	await tx.query("delete from locators where kind = 'receipt' and object_id = $1", [id]);
	await tx.query("delete from receipts where tenant_id = $2 and id = $1", [id, currentTenant(tx)]);
}

/** Keeps the rest of a receipt from being allocated. Call it inside the tenant. */
export async function markDuplicate(tx: Database, id: string): Promise<void> {
	await tx.query("update receipts set is_duplicate = true where tenant_id = $2 and id = $1", [
		id,
		currentTenant(tx),
	]);
}

/** Stores the account and the payer of a receipt that was counted without. Call it inside the tenant. */
export async function nameReceipt(
	tx: Database,
	{ id, accountRef, payerMasked }: Pick<Receipt, "id" | "accountRef" | "payerMasked">,
): Promise<void> {
	await tx.query(
		`update receipts set account_ref = coalesce(account_ref, $2), payer_masked = coalesce(payer_masked, $3)
		  where tenant_id = $4 and id = $1 and (account_ref is null or payer_masked is null)`,
		[id, accountRef, payerMasked, currentTenant(tx)],
	);
}

/** Returns a receipt by the gateway's number, locked. Call it inside the tenant. */
export async function lockReceiptByNumber(
	tx: Database,
	{ gateway, receipt }: { gateway: Gateway; receipt: string },
): Promise<Receipt | undefined> {
	const [row] = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts where tenant_id = $3 and gateway = $1 and kind = 'collection' and receipt = $2 for update`,
		[gateway, receipt, currentTenant(tx)],
	);
	return row && fromReceiptRow(row);
}

/** Lists the receipts of an attempt, locked, the first first. Call it inside the tenant. */
export async function lockReceiptsOfAttempt(tx: Database, attemptId: string): Promise<Receipt[]> {
	const rows = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts where tenant_id = $2 and attempt_id = $1 order by id for update`,
		[attemptId, currentTenant(tx)],
	);
	return rows.map(fromReceiptRow);
}

/** Returns what was only said to have come to a shortcode under a number. Call it inside the tenant. */
export async function findUnverified(
	tx: Database,
	receipt: string,
): Promise<(Receipt & { shortcode: string }) | undefined> {
	const [row] = await tx.query<ReceiptRow & { shortcode: string }>(
		`select ${receiptColumns} from receipts
		  where tenant_id = $2 and gateway = 'mobile_money' and kind = 'collection' and receipt = $1 and state = 'unverified'`,
		[receipt, currentTenant(tx)],
	);
	return row && { ...fromReceiptRow(row), shortcode: row.shortcode };
}

/**
 * Removes a receipt that does not exist at the gateway, with what was said of it: nothing rests on it. Call
 * it inside the tenant.
 */
export async function removeForged(tx: Database, id: string): Promise<void> {
	await tx.query("select remove_unverified_receipts($1, $2)", [currentTenant(tx), [id]]);
}

/**
 * Stores when the gateway is asked about a receipt next; undefined: it is not asked any more. Call it
 * inside the tenant.
 */
export async function scheduleAsking(tx: Database, id: string, at: Date | undefined): Promise<void> {
	await tx.query("update receipts set next_check_at = $2 where tenant_id = $3 and id = $1", [
		id,
		at ?? null,
		currentTenant(tx),
	]);
}

/** Removes what was only said to have moved: a trusted statement replaces it. Call it inside the tenant. */
export async function removeUnverified(tx: Database, id: string): Promise<void> {
	await tx.query("delete from receipts where tenant_id = $2 and id = $1 and state = 'unverified'", [
		id,
		currentTenant(tx),
	]);
}

/** What is allocated of a receipt now. */
type Raise = { amountMinor: bigint; platformMinor?: bigint; isFeePassedOn?: boolean };

/** Raises what is allocated of a receipt that is locked. Call it inside the tenant. */
export async function raiseAllocated(
	tx: Database,
	id: string,
	{ amountMinor, platformMinor = 0n, isFeePassedOn = false }: Raise,
): Promise<void> {
	await tx.query(
		`update receipts
		    set allocated_minor = allocated_minor + $2, platform_minor = platform_minor + $3,
		        is_fee_passed_on = is_fee_passed_on or $4
		  where tenant_id = $5 and id = $1`,
		[id, amountMinor, platformMinor, isFeePassedOn, currentTenant(tx)],
	);
}

/**
 * Changes what of a receipt that is not allocated was returned, or is being returned. Call it inside the
 * tenant, with the receipt locked.
 */
export async function addRefunded(tx: Database, id: string, amountMinor: bigint): Promise<void> {
	if (amountMinor === 0n) return;
	await tx.query(
		"update receipts set refunded_minor = refunded_minor + $2 where tenant_id = $3 and id = $1",
		[id, amountMinor, currentTenant(tx)],
	);
}

/** Returns the receipt of a card charge by its attempt. Call it inside the tenant. */
export async function findReceiptOfAttempt(tx: Database, attemptId: string): Promise<Receipt | undefined> {
	const [row] = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts where tenant_id = $2 and attempt_id = $1 order by id limit 1`,
		[attemptId, currentTenant(tx)],
	);
	return row && fromReceiptRow(row);
}

/** Notes the attempt that a receipt came by. Call it inside the tenant. */
export async function bindReceipt(tx: Database, id: string, attemptId: string): Promise<void> {
	await tx.query(
		"update receipts set attempt_id = $2 where tenant_id = $3 and id = $1 and attempt_id is null",
		[id, attemptId, currentTenant(tx)],
	);
}

/** Returns a receipt, locked. Call it inside the tenant. */
export async function lockReceipt(tx: Database, id: string): Promise<Receipt | undefined> {
	const [row] = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts where tenant_id = $2 and id = $1 for update`,
		[id, currentTenant(tx)],
	);
	return row && fromReceiptRow(row);
}

/** Returns a receipt. Call it inside the tenant. */
export async function findReceipt(tx: Database, id: string): Promise<Receipt | undefined> {
	const [row] = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts where tenant_id = $2 and id = $1`,
		[id, currentTenant(tx)],
	);
	return row && fromReceiptRow(row);
}

/** The conditions of the places; the index of what is not used up serves two of them. */
const conditions: Readonly<Record<ReceiptPlace, string>> = {
	unverified: "allocated_minor + refunded_minor < amount_minor and state = 'unverified'",
	unallocated: "allocated_minor + refunded_minor < amount_minor and state = 'verified'",
	allocated: "allocated_minor + refunded_minor = amount_minor and state = 'verified'",
};

/** What a page of receipts contains. */
type ReceiptQuery = {
	kind: ReceiptKind | undefined;
	state: ReceiptPlace | undefined;
	after: string | undefined;
	limit: number;
};

/** Lists receipts, the newest first. Call it inside the tenant. */
export async function listReceipts(
	tx: Database,
	{ kind, state, after, limit }: ReceiptQuery,
): Promise<Receipt[]> {
	const rows = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts
		  where tenant_id = $4 and ($3::text is null or kind = $3) and ($1::uuid is null or id < $1)
		    and ${state === undefined ? "true" : conditions[state]}
		  order by id desc limit $2`,
		[after ?? null, limit, kind ?? null, currentTenant(tx)],
	);
	return rows.map(fromReceiptRow);
}

/** Returns the last receipt of money that the tenant paid to the platform. Call it inside the tenant. */
export async function lastBillReceipt(tx: Database, currency: string): Promise<Receipt | undefined> {
	const [row] = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts where tenant_id = $2 and currency = $1 and platform_minor > 0 order by id desc limit 1`,
		[currency, currentTenant(tx)],
	);
	return row && fromReceiptRow(row);
}
