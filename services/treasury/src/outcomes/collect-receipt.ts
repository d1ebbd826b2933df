import { uuidV7 } from "@lango/events";
import { enqueueJob, enqueueJobs } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { isTillOf } from "../gateways/shortcodes/tenant-gateway.store.ts";
import { listAttempts } from "../payments/attempt.store.ts";
import { isLive } from "../payments/attempt.ts";
import type { StoredIntent } from "../payments/intent.store.ts";
import {
	lockReceiptByNumber,
	lockUnnumbered,
	numberReceipt,
	recordReceipt,
	removeUnverified,
} from "../receipts/receipt.store.ts";
import { fitsPrompt, isReceiptNumber, type Receipt } from "../receipts/receipt.ts";
import { countReceipt } from "./count-receipt.ts";
import { recordEvidence } from "./evidence.store.ts";
import type { ReceiptEvidence, ShortcodeMoney } from "./evidence.ts";
import { lockPayable } from "./lock-payable.ts";

/** The jobs that ask about an attempt, and about a receipt that is not verified, by their names. */
const askJob = { name: "attempts.query" } as const;
const verifyJob = { name: "receipts.ask" } as const;

/**
 * Counts money that came to a shortcode, once for each receipt number. It belongs to a prompt of the intent
 * that was paid without a number, for this amount; else it is a receipt of its own, for the intent that its
 * account names, or for none. Call it inside the tenant.
 */
export async function collectReceipt(tx: Database, evidence: ReceiptEvidence): Promise<void> {
	const { tenantId, money, isTrusted, at, source, sourceId } = evidence;
	const intent = await lockPayable(tx, evidence);
	const known = await lockReceiptByNumber(tx, { gateway: "mobile_money", receipt: money.receipt });
	const isCounted = known?.state === "verified";
	const prompted = isTrusted && !isCounted ? await findPrompted(tx, intent, money) : undefined;
	const id = prompted?.id ?? known?.id ?? uuidV7(at);
	const about = { tenantId, objectKind: "receipt" as const, objectId: id, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: { kind: "received", isTrusted, ...money } });
	if (isCounted) return;
	if (!isTrusted) return known === undefined ? recordUnverified(tx, evidence, id) : undefined;
	if (known !== undefined) await removeUnverified(tx, known.id);
	if (prompted !== undefined) {
		const { receipt, payerMasked, paidAt: occurredAt = prompted.occurredAt } = money;
		return numberReceipt(tx, { ...prompted, receipt, occurredAt, payerMasked });
	}
	const receipt = { ...receivedOf(money, at), id };
	await countReceipt(tx, { tenantId, intent, receipt, evidenceId, now: at });
	if (intent !== undefined) await askAboutPrompts(tx, intent);
}

const receivedOf = (money: ShortcodeMoney, now: Date) => ({
	...({ gateway: "mobile_money", channel: "account", receipt: money.receipt } as const),
	...{ shortcode: money.shortcode, custody: money.custody, amountMinor: money.amountMinor },
	...{ currency: money.currency, feeMinor: 0n, isFeeEstimated: false },
	occurredAt: money.paidAt ?? now,
	...{ accountRef: money.accountRef, payerMasked: money.payerMasked, attemptId: null },
});

/** Only what the gateway answers about it counts. */
async function recordUnverified(
	tx: Database,
	{ tenantId, money, at }: ReceiptEvidence,
	id: string,
): Promise<void> {
	await recordReceipt(tx, {
		...{ ...receivedOf(money, at), tenantId, id, state: "unverified", createdAt: at },
		...{ allocatedMinor: 0n, platformMinor: 0n, isFeePassedOn: false },
	});
	if (isReceiptNumber(money.receipt)) await enqueueJob(tx, verifyJob, { id, tenantId });
}

/**
 * The receipt of a prompt that was paid, by a query that said neither number nor phone. The confirmation of a
 * till names no account.
 */
async function findPrompted(
	tx: Database,
	intent: StoredIntent | undefined,
	money: ShortcodeMoney,
): Promise<Receipt | undefined> {
	const { shortcode, amountMinor, accountRef } = money;
	if (intent === undefined && (accountRef !== null || !(await isTillOf(tx, shortcode)))) return undefined;
	const unnumbered = await lockUnnumbered(tx, { shortcode, amountMinor, intentId: intent?.id });
	return unnumbered.find(({ receipt, prompt }) => {
		const { payerMasked, paidAt: occurredAt = receipt.occurredAt } = money;
		return fitsPrompt({ payerMasked, occurredAt }, { ...prompt, until: receipt.occurredAt });
	})?.receipt;
}

/**
 * A confirmation alone does not end a prompt: the payer may have typed the code beside it. So the gateway is
 * asked at once.
 */
async function askAboutPrompts(tx: Database, { id, tenantId }: StoredIntent): Promise<void> {
	const live = (await listAttempts(tx, [id])).filter(isLive);
	await enqueueJobs(
		tx,
		askJob,
		live.map((attempt) => ({ id: attempt.id, tenantId })),
	);
}
