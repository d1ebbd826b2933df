import type { Database } from "@lango/postgres";
import { readEvent } from "../../gateways/card-gateway/events/read-event.ts";
import { readCallback } from "../../gateways/mobile-money/callbacks/read-callback.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
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
import { applyStatement, type MustVerify } from "./apply-statement.ts";

type Applying = Pick<Treasury, "db" | "now"> & {
	gateways: Pick<Treasury["gateways"], "findCardGateway">;
	log: Pick<Treasury["log"], "error">;
};

const triesMax = 12;

/**
 * Applies the deliveries of an object, in their order. One that cannot be applied is tried again, and those
 * after it wait; after twelve tries it is parked. Throws the error of the delivery that failed.
 */
export async function applyObject(parts: Applying, objectKey: string): Promise<void> {
	for (const { id } of await listReceived(parts.db, objectKey)) {
		try {
			await applyOne(parts, id);
		} catch (error) {
			if (!(await parkIfSpent(parts, id, error))) throw error;
		}
	}
}

async function applyOne(parts: Applying, id: string): Promise<void> {
	const reference = await applyWith(parts, { id, verified: undefined });
	if (reference === undefined) return;
	const verified = await verifyReference(parts.gateways, reference);
	if (verified === undefined) throw new Error("the card gateway did not answer about the charge");
	await applyWith(parts, { id, verified });
}

type Known = { id: string; verified: Verified | undefined };

/** Returns the reference about which the gateway has to be asked first; undefined if all is done. */
function applyWith({ db, now }: Applying, { id, verified }: Known): Promise<string | undefined> {
	return retryConflicts(() =>
		db.transaction(async (tx) => {
			const delivery = await lockReceived(tx, id);
			if (delivery === undefined) return undefined;
			const end = await apply(tx, { delivery, verified, now: now() });
			if ("verify" in end) return end.verify;
			await endDelivery(tx, { ...end, id, now: now() });
			return undefined;
		}),
	);
}

type Received = { delivery: Delivery; verified: Verified | undefined; now: Date };

async function apply(tx: Database, { delivery, verified, now }: Received): Promise<DeliveryEnd | MustVerify> {
	const reading = read(delivery);
	if (reading.kind !== "attempt") return endOf(delivery, reading);
	return applyStatement(tx, { delivery, statement: reading.statement, verified, now });
}

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
