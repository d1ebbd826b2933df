import type { Database } from "@lango/postgres";
import { readEvent } from "../../gateways/card-gateway/events/read-event.ts";
import { readCallback } from "../../gateways/mobile-money/callbacks/read-callback.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { findOwnerId, type OwnerLookup } from "../../platform-owner.ts";
import { type Verified, verifyReference } from "../../recovery/ask-checkout.ts";
import type { Treasury } from "../../treasury.ts";
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
import { applyConfirmation } from "./apply-confirmation.ts";
import { applyResult, type ResultReading } from "./apply-result.ts";
import { applyStatement, type MustVerify } from "./apply-statement.ts";
import { type Place, placeConfirmation } from "./place-confirmation.ts";
import { addressOf, isHintByAddress, type SenderAddress } from "./sender-address.ts";

type Applying = Pick<Treasury, "db" | "now"> &
	OwnerLookup & {
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
	const ownerId = reading.kind === "balance" ? await findOwnerId(parts) : undefined;
	const known = { delivery, address, isHint, reading, place, ownerId };
	const reference = await applyWith(parts, { ...known, verified: undefined });
	if (reference === undefined) return;
	const verified = await verifyReference(parts.gateways, reference);
	if (verified === undefined) throw new Error("the card gateway did not answer about the charge");
	await applyWith(parts, { ...known, verified });
}

type Known = {
	delivery: Delivery;
	address: SenderAddress;
	/** Whether its address makes it a hint: it has no token, and a charge is verified. */
	isHint: boolean;
	reading: Reading;
	place: Place | undefined;
	ownerId: string | undefined;
	verified: Verified | undefined;
};

/** Returns the reference about which the gateway has to be asked first; undefined if all is done. */
function applyWith({ db, now }: Applying, known: Known): Promise<string | undefined> {
	const { id } = known.delivery;
	return retryConflicts(() =>
		db.transaction(async (tx) => {
			if ((await lockReceived(tx, id)) === undefined) return undefined;
			const end = await apply(tx, known, now());
			if ("verify" in end) return end.verify;
			const trust = end.trust === "none" && known.address === "expected" ? "address" : end.trust;
			await endDelivery(tx, { ...end, trust, id, now: now() });
			return undefined;
		}),
	);
}

async function apply(
	tx: Database,
	{ delivery, isHint, reading, place, ownerId, verified }: Known,
	now: Date,
): Promise<DeliveryEnd | MustVerify> {
	if (reading.kind === "attempt")
		return applyStatement(tx, { delivery, isHint, statement: reading.statement, verified, now });
	if (reading.kind === "confirmation")
		return applyConfirmation(tx, { delivery, confirmation: reading.confirmation, place, now });
	if (isResult(reading)) return applyResult(tx, { delivery, reading, ownerId, now });
	return endOf(delivery, reading);
}

const isResult = (reading: Reading): reading is ResultReading =>
	reading.kind === "balance" || reading.kind === "status" || reading.kind === "timeout";

/** What the bytes say. Never throws. */
function read({ route, raw }: Delivery): Reading {
	const body = readBody(raw);
	return route === "cardgateway" ? readEvent(body) : readCallback(route, body);
}

/** The signature was checked before the delivery was stored. */
const trustOf = ({ gateway }: Delivery): Trust => (gateway === "card_gateway" ? "signature" : "none");

function endOf(delivery: Delivery, reading: Reading): DeliveryEnd {
	const about = { trust: trustOf(delivery), eventKey: undefined };
	if (reading.kind === "ignored") return { ...about, status: "ignored", because: reading.because };
	const because = reading.kind === "parked" ? reading.because : "it is not applied yet";
	return { ...about, status: "parked", because };
}

async function parkIfSpent({ db, now, log }: Applying, id: string, error: unknown): Promise<boolean> {
	const because = error instanceof Error ? error.message : String(error);
	if ((await recordFailedTry(db, { id, error: because })) < triesMax) return false;
	await endDelivery(db, { id, status: "parked", trust: "none", because, eventKey: undefined, now: now() });
	log.error({ err: error, delivery: id }, "a delivery is parked: it could not be applied");
	return true;
}
