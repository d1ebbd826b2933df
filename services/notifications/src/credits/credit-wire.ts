import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import type { Credit, CreditEntry } from "./credit.store.ts";
import type { CreditPack } from "./pack.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });
const segmentsMax = 10_000_000;

/** A credit as the API shows it. */
export const CreditWire = Type.Object({
	balance: Type.Integer({ description: "Prepaid SMS segments" }),
	reserved: Type.Integer({ description: "Segments of messages that wait" }),
	available: Type.Integer({ description: "Segments for further messages" }),
	threshold: Type.Integer({ description: "Administrators are warned when the balance falls below it" }),
	is_low: Type.Boolean(),
});

/** The kinds of entries of the ledger. */
const entryKinds = ["top_up", "grant", "reserve", "settle", "release", "adjust"] as const;

/** An entry of the ledger as the API shows it. */
export const EntryWire = Type.Object({
	id: Uuid,
	kind: Type.Enum([...entryKinds], { type: "string" }),
	segments: Type.Integer(),
	delivery_id: OrNull(Uuid),
	operation_id: OrNull(Uuid),
	reason: OrNull(Type.String()),
	made_by: OrNull(Type.String()),
	balance: Type.Integer({ description: "After the entry" }),
	reserved: Type.Integer({ description: "After the entry" }),
	at: DateTime,
});

/** The code of a pack. */
export const PackCode = Type.String({
	pattern: "^[a-z][a-z0-9_]{0,59}$",
	"x-error": "must be lower-case letters, digits and underscores, and begin with a letter",
});

/** The terms of a pack. */
export const PackTerms = {
	segments: Type.Integer({ minimum: 1, maximum: segmentsMax }),
	price_minor: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "In minor units" }),
	currency: Type.String({ pattern: "^[A-Z]{3}$", "x-error": "must be a code of ISO 4217" }),
};

/** A pack as the API shows it. */
export const PackWire = Type.Object({ code: PackCode, ...PackTerms, is_on_sale: Type.Boolean() });

/** A grant; negative segments are a correction. */
export const GrantBody = {
	segments: Type.Integer({
		minimum: -segmentsMax,
		maximum: segmentsMax,
		not: { const: 0 },
		description: "Negative: a correction, which takes segments away that are not reserved",
	}),
	reason: Type.String({ minLength: 1, maxLength: 200, pattern: "\\S" }),
};

/** Converts a credit for the API. */
export function toCreditWire(credit: Credit): Static<typeof CreditWire> {
	const { balance, reserved, threshold, isLow } = credit;
	return { balance, reserved, available: balance - reserved, threshold, is_low: isLow };
}

/** Converts an entry for the API. */
export function toEntryWire(entry: CreditEntry): Static<typeof EntryWire> {
	return {
		id: entry.id,
		kind: entry.kind as Static<typeof EntryWire>["kind"],
		segments: entry.segments,
		delivery_id: entry.deliveryId,
		operation_id: entry.operationId,
		reason: entry.reason,
		made_by: entry.madeBy,
		balance: entry.balance,
		reserved: entry.reserved,
		at: entry.at.toISOString(),
	};
}

/** Converts a pack for the API. */
export function toPackWire(pack: CreditPack): Static<typeof PackWire> {
	return {
		...{ code: pack.code, segments: pack.segments, price_minor: pack.priceMinor },
		...{ currency: pack.currency, is_on_sale: pack.isOnSale },
	};
}

/** Reads a pack of the API. */
export function readPack(wire: Static<typeof PackWire>): CreditPack {
	return {
		...{ code: wire.code, segments: wire.segments, priceMinor: wire.price_minor },
		...{ currency: wire.currency, isOnSale: wire.is_on_sale },
	};
}
