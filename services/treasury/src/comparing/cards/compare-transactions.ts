import { inTenant } from "@lango/postgres";
import { countTransaction } from "../../charges/count-transaction.ts";
import { closeExplained } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { requireAccepted } from "../../gateways/calls/require-accepted.ts";
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
import { type CardReceipt, listCardReceipts } from "./card-receipt.store.ts";

const perPage = 100;
const pagesMax = 10_000;

/**
 * Compares the charges of the card gateway with the receipts, both ways. One whose event was lost is
 * counted; what remains raises an exception. Returns how many charges the gateway listed. Throws
 * `gateway_unavailable` and `gateway_refused`.
 */
export async function compareTransactions(
	domain: Treasury,
	gateway: CardGateway,
	range: Range,
): Promise<number> {
	const listed = new Set<string>();
	const bounds = { from: range.from.toISOString(), to: range.to.toISOString(), status: "success" } as const;
	for (let page = 1; page <= pagesMax; page += 1) {
		const answer = requireAccepted(await listTransactions(gateway, { page, perPage, ...bounds })).ids;
		for (const transaction of answer.transactions) await compareTransaction(domain, transaction);
		for (const { id } of answer.transactions) listed.add(id);
		if (answer.transactions.length + answer.unreadable < perPage) break;
	}
	await compareReceipts(domain, gateway, { ...range, listed });
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
async function compareReceipts(
	domain: Treasury,
	gateway: CardGateway,
	{ from, to, listed }: Listed,
): Promise<void> {
	for (let after: string | undefined; ; ) {
		const receipts = await listCardReceipts(domain.db, { from, to, after, limit: perPage });
		for (const receipt of receipts)
			if (!listed.has(receipt.receipt) && !(await isThere(gateway, receipt)))
				await raiseMissingThere(domain, receipt);
		if (receipts.length < perPage) return;
		after = receipts.at(-1)?.id;
	}
}

async function isThere(gateway: CardGateway, { reference, receipt }: CardReceipt): Promise<boolean> {
	// Without a reference the gateway cannot be asked, so nothing is known.
	if (reference === undefined) return true;
	const answer = await verifyTransaction(gateway, reference);
	if (answer.is === "refused" && answer.code === "not_found") return false;
	return requireAccepted(answer).ids.id === receipt;
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
