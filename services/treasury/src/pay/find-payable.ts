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
import { admitsPush, amountOfPush, whyNotByPush } from "../prompts/push-amount.ts";
import type { Treasury } from "../treasury.ts";
import { amountDue } from "../unapplied/amount-due.ts";

/** Where a phone pays, and why it cannot be asked to: money that it sends by itself can come in parts. */
type PayableByPhone = {
	shortcode: string;
	kind: "paybill" | "till";
	promptRefusal: ReturnType<typeof whyNotByPush>;
};

/** What a payer without an account sees of an intent. */
export type Payable = {
	intent: StoredIntent;
	dueMinor: bigint;
	/** Whether the time to pay it is over. */
	isOver: boolean;
	/** The tenant that gets the money, by name. */
	payeeName: string;
	/** Undefined: it cannot be paid by phone now. */
	phone: PayableByPhone | undefined;
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
	const isOver = intent.expiresAt <= now();
	const isPayable = isOpen(intent) && !isOver && halt === undefined;
	return {
		...{ intent, dueMinor: dueMinor < 0n ? 0n : dueMinor, isOver, payeeName: payee.name },
		...(isPayable
			? await waysOf(domain, { intent, dueMinor, payeeId })
			: { phone: undefined, cardChannels: [] }),
		latest: attempts.at(-1),
	};
}

type Due = { intent: StoredIntent; dueMinor: bigint; payeeId: string };

async function waysOf({ gateways }: Treasury, { intent, dueMinor, payeeId }: Due) {
	const account = admitsPush(intent) ? await gateways.findMobileMoney(payeeId) : undefined;
	const card = await gateways.findCardGateway();
	return {
		phone: account?.isActive
			? {
					...{ shortcode: account.shortcode, kind: account.kind },
					promptRefusal: whyNotByPush(amountOfPush(dueMinor, intent), account.profile.settings),
				}
			: undefined,
		cardChannels:
			card === undefined ? [] : cardChannels.filter((channel) => intent.channels.includes(channel)),
	};
}
