import { Failure } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import type { ExceptionClass } from "../exceptions/exception.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";
import { findAnswer } from "../queries/query.store.ts";
import type { StatusAnswer } from "../queries/query.ts";
import { planAsking } from "../receipts/plan-asking.ts";
import { findCounted, findReceipt, removeForged, scheduleAsking } from "../receipts/receipt.store.ts";
import type { Receipt } from "../receipts/receipt.ts";
import type { Treasury } from "../treasury.ts";
import { verifyReceipt } from "./verify-receipt.ts";

/**
 * The asker of questions that no person asks: a confirmation whose sender is not trusted is their reason.
 */
const askedByHint = { kind: "service", id: "treasury" } as const;

/**
 * After how many seconds a receipt that is not verified is asked about again, while the gateway gave no
 * answer. At the last one a person has to look.
 */
const ladder = [60, 300, 3_600, 21_600, 86_400] as const;
/** A job may start a little before its time. */
const earlySeconds = 1;

type Followed = { tenantId: string; receiptId: string };

/**
 * Asks the gateway about a receipt that is not verified, until it answers, for a day at most. One that is
 * not verified then raises an exception, unless the gateway says that it was not paid.
 */
export async function followReceipt(domain: Treasury, followed: Followed): Promise<void> {
	const { db, now } = domain;
	const { tenantId, receiptId } = followed;
	const inside = <T>(work: (tx: Database) => Promise<T>) => inTenant(db, tenantId, work);
	const { receipt, answer } = await inside((tx) => findOpen(tx, receiptId));
	if (receipt === undefined) return;
	const ageSeconds = (now().getTime() - receipt.createdAt.getTime()) / 1000;
	const next = ladder.find((seconds) => seconds > ageSeconds + earlySeconds);
	if (next === undefined) return inside((tx) => raiseUnverified(tx, { receipt, answer, now: now() }));
	if (answer === undefined) await ask(domain, followed);
	const afterSeconds = Math.ceil(next - ageSeconds);
	await inside((tx) => planAsking(tx, receipt, { now: now(), afterSeconds }));
}

type Open = { receipt: Receipt | undefined; answer: StatusAnswer | undefined };

async function findOpen(tx: Database, id: string): Promise<Open> {
	const receipt = await findReceipt(tx, id);
	if (receipt?.state !== "unverified") return { receipt: undefined, answer: undefined };
	return { receipt, answer: await findAnswer(tx, receipt) };
}

/** A question that the gateway does not take is asked again later: forged ones use up no other one. */
async function ask(domain: Treasury, followed: Followed): Promise<void> {
	await verifyReceipt(domain, { ...followed, createdBy: askedByHint, isHint: true }).catch((error) => {
		if (!(error instanceof Failure)) throw error;
		const { code } = error;
		domain.log.info({ receipt: followed.receiptId, code }, "a receipt could not be asked about");
	});
}

type Unverified = { receipt: Receipt; answer: StatusAnswer | undefined; now: Date };

/**
 * It may be real money that is counted nowhere: the gateway gave no answer, or says another amount, or the
 * same one, which may be counted already for a deleted tenant.
 */
async function raiseUnverified(tx: Database, { receipt: found, answer, now }: Unverified): Promise<void> {
	await scheduleAsking(tx, found.id, undefined);
	if (answer !== undefined && answer.status !== "Completed") return;
	const { tenantId: tenant_id, id: receipt_id, gateway, receipt, shortcode, amountMinor, currency } = found;
	// What counted the money has its number by now.
	if (receipt !== null && (await findCounted(tx, gateway, receipt)) !== undefined)
		return removeForged(tx, receipt_id);
	await raiseException(tx, {
		...{ class: classOf(found, answer), subject: receipt ?? receipt_id },
		...{ amountMinor, currency, now, theirs: answer ?? {} },
		ours: { tenant_id, receipt_id, receipt, shortcode, amount_minor: toMinor(amountMinor), currency },
	});
}

function classOf({ amountMinor, shortcode }: Receipt, answer: StatusAnswer | undefined): ExceptionClass {
	if (answer === undefined) return "missing_there";
	const isSame = answer.amount_minor === toMinor(amountMinor) && answer.shortcode === shortcode;
	return isSame ? "duplicate" : "amount";
}
