import { inTenant } from "@lango/postgres";
import { countTransaction } from "../../charges/count-transaction.ts";
import { closeExplained } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { requireAccepted, requireRead } from "../../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { paidByCharge } from "../../gateways/card-gateway/said-by-charge.ts";
import {
	listTransactions,
	type Transaction,
	verifyTransaction,
} from "../../gateways/card-gateway/transactions.ts";
import { toMinor } from "../../money/amount.ts";
import { findLocator, type Located } from "../../payments/locator.store.ts";
import { findCounted, findReceipt } from "../../receipts/receipt.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import { askNow } from "../../recovery/ask-now.ts";
import { isInSettlement } from "../../settlements/settlement-line.store.ts";
import type { Range } from "../../settling/fetch-settlements.ts";
import { proposeSuspense, toUncounted } from "../../settling/propose-suspense.ts";
import type { Treasury } from "../../treasury.ts";
import { askPageByPage } from "./ask-page-by-page.ts";
import { type CardReceipt, listCardReceipts } from "./card-receipt.store.ts";

const perPage = 100;
const pagesMax = 10_000;

/**
 * Compares the charges of the card gateway with the receipts, both ways. One whose event was lost is
 * counted; what remains raises an exception. Returns how many charges the gateway listed. Throws
 * `gateway_unavailable` and `gateway_refused`; at the end, if an entry cannot be read, or the gateway does
 * not answer about a charge that it did not list.
 */
export async function compareTransactions(
	domain: Treasury,
	gateway: CardGateway,
	range: Range,
): Promise<number> {
	const listed = new Set<string>();
	const bounds = { from: range.from.toISOString(), to: range.to.toISOString(), status: "success" } as const;
	let unread = 0;
	for (let page = 1; page <= pagesMax; page += 1) {
		const answer = requireAccepted(await listTransactions(gateway, { page, perPage, ...bounds })).ids;
		for (const transaction of answer.transactions) await compareTransaction(domain, transaction);
		for (const { id } of answer.transactions) listed.add(id);
		unread += answer.unreadable;
		if (answer.transactions.length + answer.unreadable < perPage) break;
	}
	await compareReceipts(domain, gateway, { ...range, listed });
	requireRead(unread);
	return listed.size;
}

async function compareTransaction(domain: Treasury, transaction: Transaction): Promise<void> {
	const { db, now } = domain;
	const counted = await findReceiptOf(domain, transaction);
	// What differs of a charge that a settlement contains, its settlement says.
	if (counted === undefined)
		return (await isInSettlement(db, transaction.id)) ? undefined : raiseMissingHere(domain, transaction);
	const missing = { class: "missing_here" as const, subject: transaction.id };
	await closeExplained(db, { ...missing, receiptIds: [counted.objectId], now: now() });
	const receipt = await inTenant(db, counted.tenantId, (tx) => findReceipt(tx, counted.objectId));
	const paid = paidByCharge(transaction);
	if (receipt === undefined || (await isInSettlement(db, transaction.id))) return;
	if (receipt.amountMinor === paid.amountMinor && receipt.currency === paid.currency) return;
	await raiseDifference(domain, transaction, receipt);
}

/** The event of a charge may be lost: it is counted now. */
async function findReceiptOf(domain: Treasury, transaction: Transaction): Promise<Located | undefined> {
	const { id, reference } = transaction;
	const counted = await findCounted(domain.db, "card_gateway", id);
	if (counted !== undefined) return counted;
	const attempt = await findLocator(domain.db, "reference", reference);
	if (attempt === undefined) await countTransaction(domain, transaction);
	else await askNow(domain, attempt.tenantId, attempt.objectId);
	return findCounted(domain.db, "card_gateway", id);
}

const theirsOf = ({ id: transaction, reference, amountMinor, feesMinor, currency }: Transaction) => ({
	...{ transaction, reference, amount_minor: toMinor(amountMinor), currency },
	...(feesMinor !== undefined && { fee_minor: toMinor(feesMinor) }),
});

const raiseMissingHere = ({ db, now }: Treasury, transaction: Transaction): Promise<void> =>
	db.transaction((tx) =>
		raiseException(tx, {
			...{ class: "missing_here", subject: transaction.id, now: now(), ours: {} },
			...{ amountMinor: transaction.amountMinor, currency: transaction.currency },
			theirs: theirsOf(transaction),
			proposed: proposeSuspense(toUncounted(transaction)),
		}),
	);

const raiseDifference = ({ db, now }: Treasury, transaction: Transaction, receipt: Receipt): Promise<void> =>
	db.transaction((tx) =>
		raiseException(tx, {
			...{ class: receipt.currency === transaction.currency ? "amount" : "currency", now: now() },
			subject: `transaction ${transaction.id}`,
			...{ amountMinor: transaction.amountMinor, currency: transaction.currency },
			ours: {
				...{ tenant_id: receipt.tenantId, receipt_id: receipt.id, currency: receipt.currency },
				amount_minor: toMinor(receipt.amountMinor),
			},
			theirs: theirsOf(transaction),
		}),
	);

type Listed = Range & { listed: ReadonlySet<string> };

/** The gateway lists charges by when they were opened: one that it did not list is asked about. */
const compareReceipts = (
	domain: Treasury,
	gateway: CardGateway,
	{ from, to, listed }: Listed,
): Promise<void> =>
	askPageByPage({
		list: (page) => listCardReceipts(domain.db, { from, to, ...page }),
		ask: async (one) => listed.has(one.receipt) || compareReceipt(domain, gateway, one),
	});

/** Returns whether the gateway answered. Without a reference it cannot be asked, so nothing is known. */
async function compareReceipt(domain: Treasury, gateway: CardGateway, one: CardReceipt): Promise<boolean> {
	if (one.reference === undefined) return true;
	const answer = await verifyTransaction(gateway, one.reference);
	const isMissing = answer.is === "refused" && answer.code === "not_found";
	if (isMissing || (answer.is === "accepted" && answer.ids.id !== one.receipt))
		await raiseMissingThere(domain, one);
	return isMissing || answer.is === "accepted";
}

const raiseMissingThere = ({ db, now }: Treasury, one: CardReceipt): Promise<void> =>
	db.transaction((tx) =>
		raiseException(tx, {
			...{ class: "missing_there", subject: `receipt ${one.receipt}`, now: now(), theirs: {} },
			...{ amountMinor: one.amountMinor, currency: one.currency },
			ours: {
				...{ tenant_id: one.tenantId, receipt_id: one.id, receipt: one.receipt },
				...{ amount_minor: toMinor(one.amountMinor), currency: one.currency },
			},
		}),
	);
