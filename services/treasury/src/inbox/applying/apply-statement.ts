import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { keepCard } from "../../card-authorizations/keep-card.ts";
import { countPlaced } from "../../charges/count-placed.ts";
import type { ChargePlace } from "../../charges/place-charge.ts";
import { readCard } from "../../gateways/card-gateway/events/read-card.ts";
import { readOrigin } from "../../gateways/card-gateway/events/read-origin.ts";
import { getCardProfile } from "../../gateways/profiles/profile.store.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { ChargedCard } from "../../outcomes/evidence/card-evidence.ts";
import type { Said, ShortcodeMoney } from "../../outcomes/evidence/evidence.ts";
import { type AttemptOf, findAttempt } from "../../payments/attempt.store.ts";
import type { Attempt } from "../../payments/attempt.ts";
import { findIntent, type StoredIntent } from "../../payments/intent.store.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { findErased } from "../../receipts/fitting-receipt.store.ts";
import { findCounted } from "../../receipts/receipt.store.ts";
import type { Verified } from "../../recovery/ask-checkout.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import type { IssuedToken } from "../callback-token.ts";
import { type DeliveryEnd, isEventApplied } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { AttemptStatement } from "../reading.ts";
import { fits, isInTime, opens } from "../trust/trust.ts";

/** The job that asks the gateway about an attempt because of a hint, by its name. */
const askJob = { name: "attempts.ask" } as const;

type Statement = { delivery: Delivery; statement: AttemptStatement; now: Date };
/** `isHint`: its address is not on the list. `verified`: the gateway's answer about a charge. */
type Charge = Statement & {
	isHint: boolean;
	verified: Verified | undefined;
	/** The platform owner's tenant; known once it is needed. */
	ownerId: string | undefined;
	/** What a charge without a reference of ours belongs to; known once it is verified. */
	place: ChargePlace | undefined;
	/** Money of a prompt that was erased with its tenant; known once its token was looked at. */
	unclaimed: ShortcodeMoney | undefined;
	keys: KeyEncryptionKeys;
};

/**
 * Before a charge is applied, the gateway has to be asked about its reference, outside of a transaction.
 */
export type MustVerify = { verify: string };

/** Money that came to the platform's shortcode has to be counted for its owner, in another transaction. */
export type MustCount = { unclaimed: ShortcodeMoney };

/**
 * Applies a statement about an attempt. That of a sender who is trusted becomes evidence; any other one
 * is a hint: the gateway is asked at once, and only its answer counts.
 */
export const applyStatement = (
	tx: Database,
	statement: Charge,
): Promise<DeliveryEnd | MustVerify | MustCount> =>
	statement.delivery.gateway === "card_gateway" ? applyCharge(tx, statement) : applyCallback(tx, statement);

/** The signature was checked before the event was stored. */
async function applyCharge(tx: Database, charge: Charge): Promise<DeliveryEnd | MustVerify> {
	const { delivery, isHint, statement, now, verified, keys } = charge;
	const { reference = "", eventKey } = statement;
	const about = { trust: "signature" as const, eventKey };
	if (eventKey !== undefined && (await isEventApplied(tx, eventKey)))
		return { ...about, status: "done", because: "the event was applied before" };
	const found = await findLocator(tx, "reference", reference);
	if (found === undefined) {
		if (verified === undefined) return { verify: reference };
		const isCounted = await countForeign(tx, { ...charge, reference, verified });
		return { ...about, ...(isCounted ? applied : notConfirmed) };
	}
	return inTenant(tx, found.tenantId, async (inside) => {
		const attempt = await getAttempt(inside, found.objectId);
		const intent = await getIntent(inside, attempt.intentId);
		const asked = { attempt, currency: intent.currency };
		if (verified === undefined && (isHint || (await isDoubtful(inside, asked, statement))))
			return { verify: reference };
		const said = verified === undefined ? statement.said : verified.said;
		if (said?.kind !== "paid") return { ...about, ...notConfirmed };
		await say(inside, { delivery, attempt, said, now });
		const card = verified === undefined ? statement.card : readCard(verified.transaction?.data);
		if (card !== undefined) await keepPayersCard(inside, { intent, card, keys, now });
		return { ...about, ...applied };
	});
}

const applied = { status: "done", because: undefined } as const;
const notConfirmed = { status: "parked", because: "the gateway does not confirm the charge" } as const;

type Foreign = Charge & { reference: string; verified: Verified };

/**
 * Counts a charge whose reference is not ours: where it belongs, or in suspense if that is not known.
 * Returns false if the gateway does not confirm it.
 */
async function countForeign(tx: Database, foreign: Foreign): Promise<boolean> {
	const { delivery, reference, verified, ownerId, place, keys, now } = foreign;
	const { said, transaction } = verified;
	if (said?.kind !== "paid" || said.receipt === undefined || said.amountMinor === undefined) return false;
	const { receipt, amountMinor } = said;
	const charge = { ...said, receipt, amountMinor, reference };
	const from = { charge, source: "delivery", sourceId: delivery.id } as const;
	if (place !== undefined) {
		const origin = readOrigin(transaction?.data);
		await inTenant(tx, place.tenantId, (inside) =>
			countPlaced(inside, { ...from, place, origin, keys, now }),
		);
		return true;
	}
	if (ownerId === undefined) throw new Error("the platform owner was not looked up");
	await inTenant(tx, ownerId, (inside) => applyOutcome(inside, { ...from, tenantId: ownerId, at: now }));
	return true;
}

type Keeping = { intent: StoredIntent; card: ChargedCard; keys: KeyEncryptionKeys; now: Date };

async function keepPayersCard(tx: Database, { intent, card, keys, now }: Keeping): Promise<void> {
	const { tenantId, payee, customerUserId: userId } = intent;
	await keepCard(tx, { tenantId, payee, userId, card, keys, now });
}

/** Whether a charge differs from what was asked for, or is so large that a stolen key would pay. */
async function isDoubtful(
	tx: Database,
	{ attempt, currency }: { attempt: Attempt; currency: string },
	{ said, claimedTenantId = attempt.tenantId }: AttemptStatement,
): Promise<boolean> {
	if (said.kind !== "paid" || said.amountMinor !== attempt.amountMinor) return true;
	if (said.currency !== currency || claimedTenantId !== attempt.tenantId) return true;
	return said.amountMinor > BigInt((await getCardProfile(tx)).settings.verify_above_minor);
}

async function applyCallback(tx: Database, charge: Charge): Promise<DeliveryEnd | MustCount> {
	const { delivery, statement, unclaimed, now } = charge;
	if (unclaimed !== undefined) return countUnclaimed(tx, { ...charge, unclaimed });
	const { tokenHash = "" } = delivery;
	const token = await findLocator(tx, "callback_token", tokenHash);
	const end =
		token &&
		(await inTenant(tx, token.tenantId, (inside) =>
			applyTrusted(inside, { delivery, statement, now, tokenId: token.objectId }),
		));
	if (end === undefined) return takeHint(tx, statement);
	return "unclaimed" in end ? end : { ...byToken, ...end };
}

const byToken = { trust: "token", eventKey: undefined } as const;

type Opened = Pick<DeliveryEnd, "status" | "because"> | MustCount;

/** Returns undefined if the token or what is said does not fit. */
async function applyTrusted(
	tx: Database,
	{ delivery, statement, now, tokenId }: Statement & { tokenId: string },
): Promise<Opened | undefined> {
	const token = await findCallbackToken(tx, tokenId);
	if (token === undefined || token.objectKind !== "attempt" || !opens(token, delivery)) return undefined;
	const attempt = await findAttempt(tx, token.objectId);
	if (attempt === undefined) return applyErased(tx, { token, delivery, statement, now });
	if (!fits(statement, attempt, now)) return undefined;
	const { merchantRequestId, checkoutRequestId, said } = statement;
	// The process ended before it read the answer with the ids.
	if (attempt.checkoutRequestId === null)
		await say(tx, {
			delivery,
			attempt,
			now,
			said: { kind: "accepted", ...defined({ merchantRequestId, checkoutRequestId }) },
		});
	await say(tx, { delivery, attempt, said, now });
	return applied;
}

const erased = { status: "done", because: "the prompt was erased with its tenant" } as const;

/**
 * The prompt was erased with its tenant. What was paid to the tenant's own shortcode is its own; what was
 * paid to the platform's is not the tenant's any more, unless a query brought it before.
 */
async function applyErased(
	tx: Database,
	{
		token: { tenantId, objectId: attemptId, platformShortcode: shortcode, createdAt },
		statement: { said },
		delivery: { id: sourceId },
		now,
	}: Statement & { token: IssuedToken },
): Promise<Opened> {
	if (said.kind !== "paid" || shortcode === undefined) return erased;
	const { receipt, amountMinor, paidAt, payerMasked = null, currency } = said;
	const isWhole = receipt !== undefined && amountMinor !== undefined;
	if (!isWhole || !isInTime(paidAt, { sentAt: createdAt, now }))
		return { status: "parked", because: "it does not fit a prompt that was erased with its tenant" };
	const countedId = await findErased(tx, attemptId);
	const money: ShortcodeMoney = {
		...{ receipt, shortcode, custody: "platform", amountMinor, currency },
		...{ accountRef: null, payerMasked, paidAt },
	};
	if (countedId === undefined)
		return (await findCounted(tx, "mobile_money", receipt)) === undefined ? { unclaimed: money } : erased;
	await applyOutcome(tx, {
		...{ tenantId, intentId: undefined, isTrusted: true, money, countedId, at: now },
		...{ source: "delivery", sourceId },
	});
	return applied;
}

/** Counts money that came to the platform's shortcode for a tenant that was deleted: in suspense. */
async function countUnclaimed(
	tx: Database,
	{ delivery, unclaimed: money, ownerId, now }: Charge & MustCount,
): Promise<DeliveryEnd> {
	if (ownerId === undefined) throw new Error("the platform owner was not looked up");
	await inTenant(tx, ownerId, (inside) =>
		applyOutcome(inside, {
			...{ tenantId: ownerId, intentId: undefined, isTrusted: true, money, at: now },
			...{ source: "delivery", sourceId: delivery.id },
		}),
	);
	return { ...byToken, ...applied };
}

async function takeHint(tx: Database, { checkoutRequestId = "" }: AttemptStatement): Promise<DeliveryEnd> {
	const about = { trust: "none" as const, eventKey: undefined };
	const found = await findLocator(tx, "checkout_request", checkoutRequestId);
	if (found === undefined) return { ...about, status: "ignored", because: "the request is not known" };
	await enqueueJob(tx, askJob, { id: found.objectId, tenantId: found.tenantId });
	return { ...about, status: "done", because: "the sender is not trusted: the gateway is asked" };
}

const say = (
	tx: Database,
	{ delivery, attempt, said, now }: { delivery: Delivery; attempt: AttemptOf; said: Said; now: Date },
): Promise<void> =>
	applyOutcome(tx, {
		...{ tenantId: attempt.tenantId, attemptId: attempt.id, of: attempt, said, at: now },
		...{ source: "delivery" as const, sourceId: delivery.id },
	});

async function getAttempt(tx: Database, id: string): Promise<AttemptOf> {
	const attempt = await findAttempt(tx, id);
	if (attempt === undefined) throw new Error(`the attempt ${id} does not exist`);
	return attempt;
}

async function getIntent(tx: Database, id: string): Promise<StoredIntent> {
	const intent = await findIntent(tx, id);
	if (intent === undefined) throw new Error(`the intent ${id} does not exist`);
	return intent;
}

/** Without the members that are undefined. */
const defined = <T extends object>(members: T) =>
	Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
		[K in keyof T]?: Exclude<T[K], undefined>;
	};
