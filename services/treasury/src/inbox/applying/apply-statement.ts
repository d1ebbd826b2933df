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
import type { Said } from "../../outcomes/evidence/evidence.ts";
import { type AttemptOf, findAttempt } from "../../payments/attempt.store.ts";
import type { Attempt } from "../../payments/attempt.ts";
import { findIntent, type StoredIntent } from "../../payments/intent.store.ts";
import { findLocator } from "../../payments/locator.store.ts";
import type { Verified } from "../../recovery/ask-checkout.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import { type DeliveryEnd, isEventApplied } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { AttemptStatement } from "../reading.ts";
import { fits, opens } from "../trust/trust.ts";

/** The job that asks the gateway about an attempt because of a hint, by its name. */
const askJob = { name: "attempts.ask" } as const;

type Statement = { delivery: Delivery; statement: AttemptStatement; now: Date };
/** `isHint`: its address is not on the list. `verified`: the gateway's answer about a charge. */
type Charge = Statement & {
	isHint: boolean;
	verified: Verified | undefined;
	/** The platform owner's tenant; known once the charge is verified. */
	ownerId: string | undefined;
	/** What a charge without a reference of ours belongs to; known once it is verified. */
	place: ChargePlace | undefined;
	keys: KeyEncryptionKeys;
};

/**
 * Before a charge is applied, the gateway has to be asked about its reference, outside of a transaction.
 */
export type MustVerify = { verify: string };

/**
 * Applies a statement about an attempt. That of a sender who is trusted becomes evidence; any other one
 * is a hint: the gateway is asked at once, and only its answer counts.
 */
export const applyStatement = (tx: Database, statement: Charge): Promise<DeliveryEnd | MustVerify> =>
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

async function applyCallback(tx: Database, { delivery, statement, now }: Statement): Promise<DeliveryEnd> {
	const { tokenHash = "" } = delivery;
	const token = await findLocator(tx, "callback_token", tokenHash);
	if (token !== undefined) {
		const isApplied = await inTenant(tx, token.tenantId, (inside) =>
			applyTrusted(inside, { delivery, statement, now, tokenId: token.objectId }),
		);
		if (isApplied) return { trust: "token", eventKey: undefined, status: "done", because: undefined };
	}
	return takeHint(tx, statement);
}

/** Returns false if the token or what is said does not fit. */
async function applyTrusted(
	tx: Database,
	{ delivery, statement, now, tokenId }: Statement & { tokenId: string },
): Promise<boolean> {
	const token = await findCallbackToken(tx, tokenId);
	if (token === undefined || token.objectKind !== "attempt" || !opens(token, delivery)) return false;
	const attempt = await findAttempt(tx, token.objectId);
	if (attempt === undefined || !fits(statement, attempt, now)) return false;
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
	return true;
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
