import type { Database } from "@lango/postgres";
import { getCardProfile } from "../../gateways/profiles/profile.store.ts";
import { endParts, listParts, recordParts } from "../../holds/hold.store.ts";
import { divideParts, type HoldOwner, type Part } from "../../holds/hold.ts";
import { balanceOf, lockAvailable } from "../../ledger/available.store.ts";
import { postRaising } from "../../ledger/post-raising.ts";
import { type Account, accounts, floatOf, suspenseOf } from "../../ledger/postings/account.ts";
import type { Posting } from "../../ledger/postings/posting.ts";
import {
	holdReturn,
	payFromShortcode,
	payReturn,
	releaseReturn,
	type Share,
} from "../../ledger/postings/refunding.ts";
import { lockIntent, updateIntent } from "../../payments/intent.store.ts";
import { recordIntentChanged } from "../../payments/intent-events.ts";
import { addPending, findPayment, raiseRefunded } from "../../payments/payment.store.ts";
import { addRefunded } from "../../receipts/receipt.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import { refundFailures } from "../../refunds/failures.ts";

/** What is held or given back, for a refund or a dispute. The receipt is locked. */
export type Holding = HoldOwner & {
	receipt: Receipt;
	evidenceId: string;
	now: Date;
};

type Taking = Holding & {
	parts: readonly Part[];
	/** Whether what the tenant does not have any more may become debt. */
	mayBeDebt: boolean;
	/** The hold was released before, and the gateway returned the money after all. */
	isLate?: boolean;
};

/**
 * Holds the parts of a refund or a dispute. What a tenant's own shortcode received is not held: the tenant
 * has it. Throws `balance_insufficient` if it would be debt and may not. Call it inside the tenant.
 */
export async function holdMoney(tx: Database, holding: Taking): Promise<void> {
	const { receipt, parts, isLate = false, ...owner } = holding;
	const { tenantId, currency } = receipt;
	await recordParts(tx, { tenantId, receiptId: receipt.id, parts, ...ownerOf(owner) });
	await addRefunded(tx, receipt.id, suspendedIn(parts));
	for (const { paymentId, pendingMinor } of parts)
		if (paymentId !== null && pendingMinor > 0n) await addPending(tx, paymentId, -pendingMinor);
	if (isInTenantCustody(receipt)) return;
	const shares = await takenFrom(tx, holding);
	await post(tx, holding, holdReturn(owner.objectKind, { currency, shares, isLate }));
}

const ownerOf = ({ objectKind, objectId }: HoldOwner): HoldOwner => ({ objectKind, objectId });

/** Money of the card gateway is the platform's, whatever the receipt pays. */
const isInTenantCustody = ({ shortcode, custody }: Receipt): boolean =>
	shortcode !== null && custody === "tenant";

const suspendedIn = (parts: readonly Part[]): bigint =>
	sumOf(parts.filter(({ source }) => source === "suspense"));
const sumOf = (parts: readonly Part[]): bigint => parts.reduce((sum, one) => sum + one.amountMinor, 0n);

/** Of payments what is pending first, then what is available, the rest as debt. */
async function takenFrom(tx: Database, { receipt, parts, mayBeDebt }: Taking): Promise<Share[]> {
	const payments = parts.filter(({ source }) => source === "payment");
	const pendingMinor = payments.reduce((sum, one) => sum + one.pendingMinor, 0n);
	const releasedMinor = sumOf(payments) - pendingMinor;
	await lockAvailable(tx, receipt.tenantId);
	const balance = releasedMinor === 0n ? 0n : await balanceOf(tx, accounts.available.code, receipt.currency);
	const availableMinor = balance < releasedMinor ? balance : releasedMinor;
	if (availableMinor < releasedMinor && !mayBeDebt) throw refundFailures.balance_insufficient();
	return [
		...otherShares(receipt, parts),
		[accounts.pending, pendingMinor],
		[accounts.available, availableMinor],
		[accounts.debt, releasedMinor - availableMinor],
	];
}

const platformAccounts = { unapplied: accounts.unapplied, income: accounts.income } as const;

/** The accounts of the parts that are not payments of the tenant's own trade. */
const otherShares = (receipt: Receipt, parts: readonly Part[]): Share[] =>
	parts.flatMap(({ source, amountMinor }): Share[] => {
		if (source === "payment") return [];
		return [[source === "suspense" ? suspenseIn(receipt) : platformAccounts[source], amountMinor]];
	});

const suspenseIn = ({ shortcode, custody: owner }: Receipt): Account =>
	shortcode === null ? accounts.cardSuspense : suspenseOf({ shortcode, owner });

/**
 * Gives back what is held: a payment that is not released yet has it pending again, any other one
 * available, from which debt is paid. `positions`: only these parts. Call it inside the tenant.
 */
export async function releaseMoney(
	tx: Database,
	holding: Holding,
	positions?: readonly number[],
): Promise<void> {
	const { receipt, objectId, objectKind } = holding;
	const parts = await endParts(tx, objectId, { state: "released", positions });
	await addRefunded(tx, receipt.id, -suspendedIn(parts));
	const shares = otherShares(receipt, parts);
	for (const part of parts) if (part.source === "payment") shares.push(...(await backTo(tx, part)));
	if (isInTenantCustody(receipt)) return;
	await post(tx, holding, releaseReturn(objectKind, { currency: receipt.currency, shares }));
}

async function backTo(tx: Database, { paymentId, amountMinor, pendingMinor }: Part): Promise<Share[]> {
	if (paymentId === null) return [[accounts.available, amountMinor]];
	const payment = await findPayment(tx, paymentId);
	if (payment === undefined) throw new Error("a part that is held has no payment");
	if (payment.releasedAt !== null) return [[accounts.available, amountMinor]];
	if (pendingMinor > 0n) await addPending(tx, payment.id, pendingMinor);
	return [
		[accounts.pending, pendingMinor],
		[accounts.available, amountMinor - pendingMinor],
	];
}

/**
 * Divides what is held: the payer gets a part of it, and the rest is given back. Call it inside the tenant.
 */
export async function returnPart(tx: Database, holding: Holding, returnedMinor: bigint): Promise<void> {
	const { receipt, objectKind, objectId } = holding;
	const { returned, back } = divideParts(await listParts(tx, objectId), returnedMinor);
	const owner = { objectKind, objectId, tenantId: receipt.tenantId, receiptId: receipt.id };
	await recordParts(tx, { ...owner, parts: [...back, ...returned] });
	if (back.length > 0) await releaseMoney(tx, holding, [...back.keys()]);
	if (returned.length > 0) await returnMoney(tx, holding);
}

/** Takes what is held out of the books, as the payer has it. Call it inside the tenant. */
export async function returnMoney(tx: Database, holding: Holding): Promise<void> {
	const { receipt, objectId, objectKind, now } = holding;
	const { currency } = receipt;
	const parts = await endParts(tx, objectId, { state: "returned", positions: undefined });
	for (const { paymentId, amountMinor } of parts)
		if (paymentId !== null) await countReturned(tx, { paymentId, amountMinor, now });
	const from = await leavesFrom(tx, receipt);
	const posting = isInTenantCustody(receipt)
		? payFromShortcode({ currency, from, shares: mirrorShares(receipt, parts) })
		: payReturn(objectKind, { currency, from, amountMinor: sumOf(parts) });
	await post(tx, holding, posting);
}

const mirrorShares = (receipt: Receipt, parts: readonly Part[]): Share[] =>
	parts.map(({ source, amountMinor }) => [
		source === "suspense" ? suspenseIn(receipt) : accounts.mobile,
		amountMinor,
	]);

/**
 * The next settlement of the card gateway deducts it, or its balance has less; a float has less at once.
 */
async function leavesFrom(tx: Database, { shortcode, custody: owner }: Receipt): Promise<Account> {
	if (shortcode !== null) return floatOf({ shortcode, owner });
	const { settles_to } = (await getCardProfile(tx)).settings;
	return settles_to === "balance" ? accounts.cardBalance : accounts.cardUnsettled;
}

type Returned = { paymentId: string; amountMinor: bigint; now: Date };

/** A dispute may take what was refunded, too: a payment is returned once at most. */
async function countReturned(tx: Database, { paymentId, amountMinor, now }: Returned): Promise<void> {
	const raised = await raiseRefunded(tx, paymentId, amountMinor);
	if (raised.amountMinor === 0n) return;
	const intent = await lockIntent(tx, raised.intentId);
	if (intent === undefined) return;
	const refundedMinor = intent.refundedMinor + raised.amountMinor;
	const changed = await updateIntent(tx, { ...intent, refundedMinor }, now);
	await recordIntentChanged(tx, changed, now);
}

async function post(
	tx: Database,
	{ receipt, objectKind, objectId, evidenceId, now: at }: Holding,
	posting: Posting,
): Promise<void> {
	const journal = { ...posting, source: { type: objectKind, id: objectId }, evidenceId, at };
	await postRaising(tx, receipt.tenantId, [journal]);
}
