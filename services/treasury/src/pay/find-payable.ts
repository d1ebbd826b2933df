import { inTenant } from "@lango/postgres";
import { cardChannels } from "../gateways/card-gateway/transactions.ts";
import { findHalt } from "../halts/halt.store.ts";
import { listAttempts } from "../payments/attempt.store.ts";
import type { Attempt } from "../payments/attempt.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findIntent, type StoredIntent } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { findLocator } from "../payments/locator.store.ts";
import { hashPayCode } from "../payments/pay-code.ts";
import { findOwnerId } from "../platform-owner.ts";
import { admitsPush } from "../prompts/push-amount.ts";
import type { Treasury } from "../treasury.ts";
import { amountDue } from "../unapplied/amount-due.ts";

/** What a payer without an account sees of an intent. */
export type Payable = {
	intent: StoredIntent;
	dueMinor: bigint;
	/** The tenant that gets the money, by name. */
	payeeName: string;
	/** Undefined: it cannot be paid by phone now. */
	shortcode: { shortcode: string; kind: "paybill" | "till" } | undefined;
	/** The channels of the card gateway's page that are available now. */
	cardChannels: readonly string[];
	/** The attempt that was started last. */
	latest: Attempt | undefined;
};

/** Finds the intent of a pay code. Throws `intent_not_found`, also if its tenant is not served. */
export async function findByCode({ db, tenancy }: Treasury, code: string): Promise<StoredIntent> {
	const found = await findLocator(db, "pay_code", hashPayCode(code).toString("hex"));
	const tenant = found && (await tenancy.findById(found.tenantId));
	if (tenant?.status !== "active") throw paymentFailures.intent_not_found();
	const intent = found && (await inTenant(db, found.tenantId, (tx) => findIntent(tx, found.objectId)));
	if (intent === undefined) throw paymentFailures.intent_not_found();
	return intent;
}

/** Returns what is to be paid by a pay code, and how. Throws `intent_not_found`. */
export async function findPayable(domain: Treasury, code: string): Promise<Payable> {
	const { db, tenancy, now } = domain;
	const intent = await findByCode(domain, code);
	const { tenantId } = intent;
	const [dueMinor, attempts, halt] = await inTenant(db, tenantId, async (tx) => [
		await amountDue(tx, intent),
		await listAttempts(tx, [intent.id]),
		await findHalt(tx, "collections"),
	]);
	const payeeId = intent.payee === "platform" ? await findOwnerId(domain) : tenantId;
	const payee = await tenancy.findById(payeeId);
	if (payee === undefined) throw paymentFailures.intent_not_found();
	const isPayable = isOpen(intent) && intent.expiresAt > now() && halt === undefined;
	return {
		...{ intent, dueMinor: dueMinor < 0n ? 0n : dueMinor, payeeName: payee.name },
		...(isPayable ? await waysOf(domain, intent, payeeId) : { shortcode: undefined, cardChannels: [] }),
		latest: attempts.at(-1),
	};
}

async function waysOf({ gateways }: Treasury, intent: StoredIntent, payeeId: string) {
	const phone = admitsPush(intent) ? await gateways.findMobileMoney(payeeId) : undefined;
	const card = await gateways.findCardGateway();
	return {
		shortcode: phone?.isActive === true ? { shortcode: phone.shortcode, kind: phone.kind } : undefined,
		cardChannels:
			card === undefined ? [] : cardChannels.filter((channel) => intent.channels.includes(channel)),
	};
}
