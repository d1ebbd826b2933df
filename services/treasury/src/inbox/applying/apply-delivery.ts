import type { Database } from "@lango/postgres";
import { applyExpiring, applySubscriptionEvent } from "../../card-subscriptions/apply-subscription-event.ts";
import { type ChargePlace, placeCharge } from "../../charges/place-charge.ts";
import { readEvent } from "../../gateways/card-gateway/events/read-event.ts";
import { readOrigin } from "../../gateways/card-gateway/events/read-origin.ts";
import type { CardRefund } from "../../gateways/card-gateway/refunds.ts";
import { readCallback } from "../../gateways/mobile-money/callbacks/read-callback.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import type { ShortcodeMoney } from "../../outcomes/evidence/evidence.ts";
import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import { findOwnerId, type OwnerLookup } from "../../platform-owner.ts";
import { findErasedOf, isPrompted } from "../../receipts/fitting-receipt.store.ts";
import { type Verified, verifyReference } from "../../recovery/ask-checkout.ts";
import { verifyPayout } from "../../recovery/verify-payout.ts";
import { askForRefunds, canListRefunds } from "../../refunding/ask-for-refunds.ts";
import type { Treasury } from "../../treasury.ts";
import { countConfirmed } from "../count-confirmed.ts";
import {
	type DeliveryEnd,
	endDelivery,
	listReceived,
	lockReceived,
	recordFailedTry,
} from "../delivery.store.ts";
import type { Delivery, Trust } from "../delivery.ts";
import { readBody } from "../read-body.ts";
import type { Reading } from "../reading.ts";
import { isOpened } from "../trust/is-opened.ts";
import { addressOf, isHintByAddress, type SenderAddress } from "../trust/sender-address.ts";
import { applyConfirmation } from "./apply-confirmation.ts";
import { applyDisputeEvent } from "./apply-dispute-event.ts";
import { applyPayoutResult } from "./apply-payout-result.ts";
import type { PromptedMoney } from "./apply-receipt-status.ts";
import { applyRefundEvent, type MustList } from "./apply-refund-event.ts";
import { applyResult, type ResultReading } from "./apply-result.ts";
import { applyReversal } from "./apply-reversal.ts";
import { applyConsent } from "./apply-standing-order.ts";
import { applyStatement, type MustCount, type MustVerify } from "./apply-statement.ts";
import { applyTransfer } from "./apply-transfer.ts";
import { type Place, placeConfirmation } from "./place-confirmation.ts";

type Applying = Pick<Treasury, "db" | "now" | "keys"> &
	OwnerLookup & {
		counts: Pick<Treasury["counts"], "refused" | "confirmed" | "charged">;
		gateways: Pick<Treasury["gateways"], "findCardGateway" | "findAddressRule">;
		log: Pick<Treasury["log"], "error" | "warn">;
	};

const triesMax = 12;

/**
 * Applies the deliveries of an object, in their order. One that cannot be applied is tried again, and those
 * after it wait; after twelve tries it is parked. Throws the error of the delivery that failed.
 */
export async function applyObject(parts: Applying, objectKey: string): Promise<void> {
	for (const delivery of await listReceived(parts.db, objectKey)) {
		try {
			await applyOne(parts, delivery);
		} catch (error) {
			if (!(await parkIfSpent(parts, delivery.id, error))) throw error;
		}
	}
}

async function applyOne(parts: Applying, stored: Delivery): Promise<void> {
	const rule = await parts.gateways.findAddressRule(stored.gateway);
	const address = addressOf(stored, rule);
	const isHint = isHintByAddress(address, rule);
	if (address === "foreign")
		parts.log.warn(
			{ delivery: stored.id, isHint },
			"a delivery came from an address that is not on the list",
		);
	const delivery = isHint ? { ...stored, tokenHash: undefined } : stored;
	const reading = read(delivery);
	// Found before the transaction: it spans tenants, and a transaction has one.
	const place =
		reading.kind === "confirmation" ? await placeConfirmation(parts, { delivery, ...reading }) : undefined;
	const isOfOwner = reading.kind === "balance" || reading.kind === "status";
	const ownerId = isOfOwner ? await findOwnerId(parts) : undefined;
	const canList = reading.kind === "refund" && (await canListRefunds(parts.gateways));
	const about = { place, ownerId, canList, prompted: await findPrompted(parts, reading) };
	const known = { delivery, address, isHint, reading, ...about, keys: parts.keys };
	const question = await applyWith(parts, { ...known, answer: {} });
	if (question === undefined) return;
	await applyWith(parts, {
		...known,
		answer: await ask(parts, reading, question),
		ownerId: await findOwnerId(parts),
	});
}

const isOfNone: PromptedMoney = { isPrompted: false, isErased: false };

/** Whether the money that an answer is about may be that of a prompt. */
async function findPrompted({ db }: Applying, reading: Reading): Promise<PromptedMoney> {
	if (reading.kind !== "status") return isOfNone;
	const { shortcode, amountMinor, finishedAt: paidAt } = reading.result;
	if (shortcode === undefined || amountMinor === undefined) return isOfNone;
	const money = { shortcode, amountMinor };
	const erased = await findErasedOf(db, { ...money, paidAt });
	return { isPrompted: await isPrompted(db, money), isErased: erased !== undefined };
}

/** What has to be known before a delivery is applied. */
type Question = MustVerify | MustList | MustCount;

/** What the gateway has to say about a charge, its refunds or a transfer before a delivery is applied. */
type Asked = {
	verified?: Verified;
	/** What a charge without a reference of ours belongs to. */
	chargePlace?: ChargePlace | undefined;
	listed?: readonly CardRefund[];
	transfer?: { said: PayoutSaid | undefined };
	/** Money of a prompt that was erased with its tenant. */
	unclaimed?: ShortcodeMoney;
};

/** Throws an Error if the gateway does not answer: it is asked again with the delivery. */
async function ask(parts: Applying, reading: Reading, question: Question): Promise<Asked> {
	if ("unclaimed" in question) return question;
	if ("listRefundsOf" in question) {
		const listed = await askForRefunds(parts.gateways, question.listRefundsOf);
		if (listed === undefined) throw new Error("the card gateway did not list the refunds");
		return { listed };
	}
	if (reading.kind === "transfer") return { transfer: await askForTransfer(parts, question.verify) };
	const verified = await verifyReference(parts, question.verify);
	if (verified === undefined) throw new Error("the card gateway did not answer about the charge");
	return { verified, chargePlace: await placeCharge(parts.db, readOrigin(verified.transaction?.data)) };
}

async function askForTransfer(parts: Applying, reference: string): Promise<{ said: PayoutSaid | undefined }> {
	const said = await verifyPayout(parts, reference);
	if (said === undefined) throw new Error("the card gateway did not answer about the transfer");
	return { said: said === "missing" ? undefined : said };
}

type Known = {
	delivery: Delivery;
	address: SenderAddress;
	/** Whether its address makes it a hint: it has no token, and a charge is verified. */
	isHint: boolean;
	reading: Reading;
	place: Place | undefined;
	ownerId: string | undefined;
	answer: Asked;
	/** Whether the card gateway can list refunds. */
	canList: boolean;
	prompted: PromptedMoney;
	keys: Treasury["keys"];
};

/** Returns what has to be known first; undefined if all is done. */
function applyWith(parts: Applying, known: Known): Promise<Question | undefined> {
	const { db, now } = parts;
	const { id } = known.delivery;
	return retryConflicts(() =>
		db.transaction(async (tx) => {
			if (!(await lockReceived(tx, id))) return undefined;
			const end = await apply(tx, known, now());
			if (!("status" in end)) return end;
			await store(tx, parts, { ...known, end });
			return undefined;
		}),
	);
}

/** Stores what became of a delivery, and counts it. */
async function store(
	tx: Database,
	{ now, counts }: Applying,
	{ delivery, address, end, reading, answer }: Known & { end: DeliveryEnd },
): Promise<void> {
	const { id, route } = delivery;
	const trust = end.trust === "none" && address === "expected" ? "address" : end.trust;
	await endDelivery(tx, { ...end, trust, id, now: now() });
	if (trust === "none" && route !== "validation") counts.refused("mobile_money");
	if (end.status === "done" && end.because === undefined)
		countConfirmed(counts, { delivery, reading, verified: answer.verified });
}

async function apply(
	tx: Database,
	{ delivery, isHint, reading, place, ownerId, answer, canList, prompted, keys }: Known,
	now: Date,
): Promise<DeliveryEnd | Question> {
	const { verified, listed } = answer;
	if (reading.kind === "attempt")
		return applyStatement(tx, {
			...{ delivery, isHint, statement: reading.statement, verified, ownerId, keys, now },
			...{ place: answer.chargePlace, unclaimed: answer.unclaimed },
		});
	if (reading.kind === "refund")
		return applyRefundEvent(tx, { delivery, isHint, event: reading.event, canList, listed, now });
	if (reading.kind === "card_subscription")
		return applySubscriptionEvent(tx, { isHint, event: reading.event, keys, now });
	if (reading.kind === "cards_expiring") return applyExpiring(tx, { isHint, ...reading });
	if (reading.kind === "dispute")
		return applyDisputeEvent(tx, { delivery, isHint, event: reading.event, now });
	if (reading.kind === "transfer")
		return applyTransfer(tx, {
			...{ delivery, isHint, statement: reading.statement, verified: answer.transfer, now },
		});
	if (reading.kind === "payout") return applyPayoutResult(tx, { delivery, result: reading.result, now });
	if (reading.kind === "confirmation")
		return applyConfirmation(tx, { delivery, confirmation: reading.confirmation, place, keys, now });
	if (reading.kind === "reversal") return applyReversal(tx, { delivery, result: reading.result, now });
	if (reading.kind === "consent") return applyConsent(tx, { delivery, result: reading.result, now });
	if (isResult(reading)) return applyResult(tx, { delivery, reading, ownerId, prompted, now });
	return endOther(tx, delivery, reading);
}

const isResult = (reading: Reading): reading is ResultReading =>
	reading.kind === "balance" || reading.kind === "status" || reading.kind === "timeout";

/** What the bytes say. Never throws. */
function read({ route, raw }: Delivery): Reading {
	const body = readBody(raw);
	return route === "cardgateway" ? readEvent(body) : readCallback(route, body);
}

/**
 * What cannot be applied yet waits only if its sender is trusted: everybody may send to the routes of
 * callbacks, and what is parked stays.
 */
async function endOther(tx: Database, delivery: Delivery, reading: Reading): Promise<DeliveryEnd> {
	const trust = await trustOf(tx, delivery);
	const because = "because" in reading ? reading.because : "it is not applied yet";
	const isParked = reading.kind !== "ignored" && trust !== "none";
	return { trust, eventKey: undefined, status: isParked ? "parked" : "ignored", because };
}

/** The signature of an event was checked before it was stored. */
async function trustOf(tx: Database, delivery: Delivery): Promise<Trust> {
	if (delivery.gateway === "card_gateway") return "signature";
	return (await isOpened(tx, delivery)) ? "token" : "none";
}

async function parkIfSpent({ db, now, log }: Applying, id: string, error: unknown): Promise<boolean> {
	const because = error instanceof Error ? error.message : String(error);
	if ((await recordFailedTry(db, { id, error: because })) < triesMax) return false;
	await endDelivery(db, { id, status: "parked", trust: "none", because, eventKey: undefined, now: now() });
	log.error({ err: error, delivery: id }, "a delivery is parked: it could not be applied");
	return true;
}
