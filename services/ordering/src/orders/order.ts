import { createHash } from "node:crypto";
import type { Item } from "../catalog/item.ts";

/** The statuses of an order. */
export const orderStatuses = ["placed", "accepted", "ready", "completed", "cancelled"] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** The allowed next statuses of each status. */
const next: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
	placed: ["accepted", "cancelled"],
	accepted: ["ready", "cancelled"],
	ready: ["completed", "cancelled"],
	completed: [],
	cancelled: [],
};

/** Returns the statuses that allow a change to this one. */
export const statusesBefore = (status: OrderStatus): readonly OrderStatus[] =>
	orderStatuses.filter((from) => next[from].includes(status));

/** The caller who placed an order. */
export type Placer = { kind: "user" | "client" | "key"; id: string };

export type OrderLine = { itemId: string; name: string; unitPriceMinor: bigint; quantity: number };

export type Order = {
	id: string;
	/** The date in the tenant's time zone, `YYYY-MM-DD`, and the order's number on that day. */
	orderedOn: string;
	number: number;
	outletId: string | null;
	placedBy: Placer;
	status: OrderStatus;
	currency: string;
	/** In the currency's lowest units. */
	totalMinor: bigint;
	placedAt: Date;
	changedAt: Date;
	lines: readonly OrderLine[];
};

/** The requested items and quantities. */
export type Wanted = ReadonlyArray<{ itemId: string; quantity: number }>;

/** Returns the lines with current names and prices or, if any item is not on sale, the ids of those items. */
export function priceLines(
	wanted: Wanted,
	sold: readonly Item[],
): { lines: OrderLine[]; totalMinor: bigint } | { missing: string[] } {
	const byId = new Map(sold.map((item) => [item.id, item]));
	const lines: OrderLine[] = [];
	const missing: string[] = [];
	for (const { itemId, quantity } of wanted) {
		const item = byId.get(itemId);
		if (item === undefined) missing.push(itemId);
		else lines.push({ itemId, name: item.name, unitPriceMinor: item.priceMinor, quantity });
	}
	if (missing.length > 0) return { missing };
	const totalMinor = lines.reduce((sum, line) => sum + line.unitPriceMinor * BigInt(line.quantity), 0n);
	return { lines, totalMinor };
}

/**
 * Returns the number of orders a day that one customer can place: a percentage of the tenant's limit, rounded
 * down, at least one. Undefined if the limit is unlimited (-1).
 */
export function shareOf(limit: number, percent: number): number | undefined {
	if (limit === -1) return undefined;
	return Math.max(1, Math.floor((limit * percent) / 100));
}

/** Returns a fingerprint, which differs between different orders under the same Idempotency-Key. */
export const fingerprintOf = (wanted: Wanted, outletId: string | undefined): Buffer =>
	createHash("sha256")
		.update(JSON.stringify([outletId ?? null, wanted.map(({ itemId, quantity }) => [itemId, quantity])]))
		.digest();
