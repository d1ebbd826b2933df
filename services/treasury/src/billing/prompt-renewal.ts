import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { getMobileMoneyProfile } from "../gateways/profiles/profile.store.ts";
import { findHalt } from "../halts/halt.store.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { listAttempts } from "../payments/attempt.store.ts";
import { findIntent, lockIntent, type StoredIntent } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import type { FailureReason } from "../payments/intent-events.ts";
import { acceptRefusal } from "../prompts/accept-refusal.ts";
import { findPayer } from "../prompts/payer.store.ts";
import { requestPush } from "../prompts/request-push.ts";
import type { Treasury } from "../treasury.ts";
import { amountDue } from "../unapplied/amount-due.ts";
import { findBillingMethod } from "./methods/billing-method.store.ts";
import { isPaidByItself } from "./methods/follow-subscription.ts";
import { phoneFor } from "./methods/phone-for.ts";
import { nextStep, retrySeconds } from "./renewal-step.ts";
import { failRenewal } from "./require-payment.ts";

/**
 * Asks the phone of the tenant's billing method to pay a bill, when it is time (`nextStep`). After the last
 * time the asking has failed; the bill can still be paid by hand.
 */
export async function promptRenewal(domain: Treasury, tenantId: string, intentId: string): Promise<void> {
	const renewal = await inTenant(domain.db, tenantId, (tx) => load(tx, intentId));
	if (renewal === undefined) return;
	const { intent } = renewal;
	const step = nextStep(renewal, domain.now());
	if (step.do === "fail") return giveUp(domain, intent, step.reason);
	if (step.do === "wait") return again(domain, intent, step.seconds);
	// What refuses a prompt now, as a halt does, is over later. Any other error is retried by the job.
	const about = { tenantId, intentId, payee: intent.payee, requestedBy: "renewal" };
	await requestPush(domain, { ...about, phone: step.phone }).catch((error) =>
		acceptRefusal(domain, error, about),
	);
	await again(domain, intent, retrySeconds);
}

/** Returns undefined if there is nothing to ask for any more. */
async function load(tx: Database, intentId: string) {
	const intent = await findIntent(tx, intentId);
	if (intent === undefined || !isOpen(intent) || intent.failedAttempt >= intent.askedAttempt)
		return undefined;
	const bill = { ...intent, dueMinor: await amountDue(tx, intent) };
	return {
		intent,
		phone: phoneFor(bill, { method: await findBillingMethod(tx), ...(await getMobileMoneyProfile(tx)) }),
		isByItself: await isPaidByItself(tx),
		payer: await findPayer(tx),
		isHalted: (await findHalt(tx, "collections")) !== undefined,
		attempts: await listAttempts(tx, [intentId]),
	};
}

async function again({ db }: Treasury, intent: StoredIntent, afterSeconds: number): Promise<void> {
	const { id, tenantId } = intent;
	await inTenant(db, tenantId, (tx) =>
		enqueueJob(tx, { name: "renewals.prompt" }, { id, tenantId, afterSeconds }),
	);
}

/** Answers the asking, unless it was asked again meanwhile. */
async function giveUp(
	domain: Treasury,
	{ id, tenantId, askedAttempt }: StoredIntent,
	reason: FailureReason,
): Promise<void> {
	await retryConflicts(() =>
		inTenant(domain.db, tenantId, async (tx) => {
			const intent = await lockIntent(tx, id);
			if (intent !== undefined && isOpen(intent) && intent.askedAttempt === askedAttempt)
				await failRenewal(tx, domain, { intent, reason });
		}),
	);
}
