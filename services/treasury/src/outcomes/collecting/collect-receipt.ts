import { uuidV7 } from "@lango/events";
import { enqueueJobs } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { isTillOf } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import { toMinor } from "../../money/amount.ts";
import { findAttempt, listAttempts } from "../../payments/attempt.store.ts";
import { isLive } from "../../payments/attempt.ts";
import type { StoredIntent } from "../../payments/intent.store.ts";
import type { Located } from "../../payments/locator.store.ts";
import { lockCounter, lockUnnumbered } from "../../receipts/fitting-receipt.store.ts";
import { planAsking } from "../../receipts/plan-asking.ts";
import {
	findCounted,
	lockReceipt,
	lockReceiptByNumber,
	nameReceipt,
	numberReceipt,
	recordReceipt,
	removeNumber,
	removeUnverified,
} from "../../receipts/receipt.store.ts";
import {
	after,
	before,
	fitsPrompt,
	isReceiptNumber,
	type Receipt,
	unallocatedOf,
} from "../../receipts/receipt.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { ReceiptEvidence, ShortcodeMoney } from "../evidence/evidence.ts";
import { allocateRest, allocateToBills } from "./allocate-receipt.ts";
import { type Counting, countReceipt } from "./count-receipt.ts";
import { lockPayable } from "./lock-payable.ts";
import { mergeReceipts } from "./merge-receipts.ts";
import { findElsewhere, raiseUsed, takeCounted } from "./take-counted.ts";

/** The job that asks about an attempt, by its name. */
const askJob = { name: "attempts.query" } as const;

const gateway = "mobile_money" as const;

/**
 * Counts money that came to a shortcode, once for each receipt number. It belongs to a prompt of the intent
 * that was paid without a number, for this amount; else it is a receipt of its own, for the intent that its
 * account names, or for none. Money that was counted for none pays the intent that is named later. Call it
 * inside the tenant.
 */
export async function collectReceipt(tx: Database, evidence: ReceiptEvidence): Promise<void> {
	const { money, isTrusted } = evidence;
	// What is counted, in any tenant, needs no statement without trust: forging adds no rows.
	if (!isTrusted && (await findCounted(tx, gateway, money.receipt)) !== undefined) return;
	const intent = await lockPayable(tx, evidence);
	if (isTrusted && evidence.countedId === undefined && (await isOfAny(tx, intent, evidence)))
		await lockCounter(tx, money);
	const elsewhere = await takePlatformMoney(tx, { evidence, intent });
	if (elsewhere === undefined) return collectHere(tx, { evidence, intent });
	if (!isOfTenant({ evidence, intent })) return;
	const { tenantId, at: now } = evidence;
	await raiseUsed(tx, { ...money, tenantId, intentId: intent?.id, elsewhere, now });
}

/** Counts money whose number no other tenant has. */
async function collectHere(tx: Database, { evidence, intent }: Stated): Promise<void> {
	const { money, isTrusted, at } = evidence;
	const known = await lockKnown(tx, { evidence, intent });
	const isCounted = known?.state === "verified";
	const prompted = isTrusted && !isCounted ? await findCountedBefore(tx, { evidence, intent }) : undefined;
	const id = prompted?.id ?? known?.id ?? uuidV7(at);
	const evidenceId = await recordReceived(tx, evidence, id);
	if (isCounted) return nameCounted(tx, { evidence, intent, receipt: known, evidenceId });
	if (!isTrusted) return known === undefined ? recordUnverified(tx, evidence, id) : undefined;
	if (known !== undefined) await removeUnverified(tx, known.id);
	const { tenantId, isForBills = false } = evidence;
	await countMoney(tx, { tenantId, intent, isForBills, money, prompted, id, evidenceId, now: at });
	if (prompted === undefined && intent !== undefined) await askAboutPrompts(tx, intent);
}

type Confirmed = Pick<Counting, "tenantId" | "intent" | "isForBills" | "evidenceId" | "now"> & {
	money: ShortcodeMoney;
};

/** Counts what a confirmation said before, and a callback says of no prompt that has it. */
export async function countConfirmed(tx: Database, confirmed: Confirmed): Promise<void> {
	const prompted = await findPrompted(tx, confirmed.intent, { money: confirmed.money, source: "delivery" });
	await countMoney(tx, { ...confirmed, prompted, id: undefined });
}

async function countMoney(
	tx: Database,
	{ money, prompted, id, ...counting }: Confirmed & { prompted: Receipt | undefined; id: string | undefined },
): Promise<void> {
	if (prompted === undefined)
		return countReceipt(tx, { ...counting, receipt: { ...receivedOf(money, counting.now), id } });
	const { receipt, payerMasked, paidAt: occurredAt = prompted.occurredAt } = money;
	await numberReceipt(tx, { ...prompted, receipt, occurredAt, payerMasked });
}

function recordReceived(tx: Database, evidence: ReceiptEvidence, objectId: string): Promise<string> {
	const { tenantId, money, isTrusted, at, source, sourceId } = evidence;
	const said = { kind: "received", isTrusted, ...money };
	return recordEvidence(tx, { tenantId, objectKind: "receipt", objectId, source, sourceId, said, at });
}

type Stated = { evidence: ReceiptEvidence; intent: StoredIntent | undefined };

/** Whether the statement names something of the tenant. */
const isOfTenant = ({ evidence: { isForBills, countedId }, intent }: Stated): boolean =>
	intent !== undefined || isForBills === true || countedId !== undefined;

/**
 * A statement without an account brought money of the platform's shortcode to the platform owner: the
 * account that is named now moves it to its tenant. Returns where the number is counted if it stays in
 * another tenant.
 */
async function takePlatformMoney(tx: Database, { evidence, intent }: Stated): Promise<Located | undefined> {
	const { tenantId, money, isTrusted } = evidence;
	if (!isTrusted || money.custody !== "platform") return undefined;
	const named = { tenantId, receipt: money.receipt };
	return isOfTenant({ evidence, intent }) ? takeCounted(tx, named) : findElsewhere(tx, named);
}

/**
 * The receipt of the number, locked. An answer about a number, without an account, may have brought it to
 * the prompt of another intent: the account that is named now decides.
 */
async function lockKnown(tx: Database, { evidence, intent }: Stated): Promise<Receipt | undefined> {
	const { money, isTrusted } = evidence;
	const isNamed = isTrusted && intent !== undefined;
	const known = await lockReceiptByNumber(tx, { gateway, receipt: money.receipt });
	if (!isNamed || known?.state !== "verified" || known.attemptId === null) return known;
	if ((await findAttempt(tx, known.attemptId))?.intentId === intent.id) return known;
	await removeNumber(tx, known.id);
	return undefined;
}

/** Money that was counted before pays the intent that its account is now known to name. */
async function nameCounted(
	tx: Database,
	{ evidence, intent, receipt, evidenceId }: Stated & { receipt: Receipt; evidenceId: string },
): Promise<void> {
	const { money, at: now } = evidence;
	await nameReceipt(tx, { ...money, id: receipt.id });
	if (evidence.isForBills === true) return allocateToBills(tx, { ...evidence, receipt, evidenceId, now });
	if (!isOfTenant({ evidence, intent }) || unallocatedOf(receipt) === 0n) return;
	const prompted = receipt.attemptId === null ? await findCountedBefore(tx, { evidence, intent }) : undefined;
	if (prompted !== undefined) {
		const isMerged = await mergeReceipts(tx, { unnumbered: prompted, known: receipt }, { evidenceId, now });
		return isMerged ? undefined : raiseDuplicate(tx, { evidence, intent });
	}
	if (intent === undefined) return;
	await allocateRest(tx, { intent, receipt, evidenceId, now });
	await askAboutPrompts(tx, intent);
}

/** A prompt that a query found paid and its number were counted apart, and something of both is used. */
async function raiseDuplicate(tx: Database, { evidence, intent }: Stated): Promise<void> {
	const { tenantId, money, at: now } = evidence;
	const { receipt, amountMinor, currency } = money;
	const amount = { amount_minor: toMinor(amountMinor), currency };
	const named = intent && { intent_id: intent.id };
	await raiseException(tx, {
		...{ class: "duplicate", subject: receipt, amountMinor, currency, now },
		...{ ours: { tenant_id: tenantId, ...named, ...amount }, theirs: { receipt, ...amount } },
	});
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
	if (isReceiptNumber(money.receipt)) await planAsking(tx, { id, tenantId }, { now: at });
}

/** The receipt that a query counted without the number: of a prompt that was erased it is known. */
async function findCountedBefore(tx: Database, { evidence, intent }: Stated): Promise<Receipt | undefined> {
	if (evidence.countedId === undefined) return findPrompted(tx, intent, evidence);
	const counted = await lockReceipt(tx, evidence.countedId);
	return counted?.receipt === null ? counted : undefined;
}

/**
 * Whether money may be of any prompt of its amount: the confirmation of a till names no account, nor does the
 * answer about a number.
 */
const isOfAny = async (
	tx: Database,
	intent: StoredIntent | undefined,
	{ money: { accountRef, shortcode }, source }: Pick<ReceiptEvidence, "money" | "source">,
): Promise<boolean> =>
	intent === undefined && (source === "query" || (accountRef === null && (await isTillOf(tx, shortcode))));

/** The receipt of a prompt that was paid, by a query that said neither number nor phone. */
async function findPrompted(
	tx: Database,
	intent: StoredIntent | undefined,
	{ money, source }: Pick<ReceiptEvidence, "money" | "source">,
): Promise<Receipt | undefined> {
	const { shortcode, amountMinor } = money;
	if (intent === undefined && !(await isOfAny(tx, intent, { money, source }))) return undefined;
	const paid = money.paidAt && { from: before(money.paidAt), until: after(money.paidAt) };
	const unnumbered = await lockUnnumbered(tx, { shortcode, amountMinor, intentId: intent?.id, paid });
	return unnumbered.find(({ receipt, prompt }) => {
		const { payerMasked, paidAt: occurredAt = receipt.occurredAt } = money;
		return fitsPrompt({ payerMasked, occurredAt }, { ...prompt, until: receipt.occurredAt });
	})?.receipt;
}

/**
 * A confirmation alone does not end a prompt: the payer may have typed the code beside it. So the gateway
 * is asked at once.
 */
async function askAboutPrompts(tx: Database, { id, tenantId }: StoredIntent): Promise<void> {
	const live = (await listAttempts(tx, [id])).filter(isLive);
	await enqueueJobs(
		tx,
		askJob,
		live.map((attempt) => ({ id: attempt.id, tenantId })),
	);
}
