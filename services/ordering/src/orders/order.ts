import { createHash } from "node:crypto";
import type { Item } from "../catalog/item.ts";

/** How far an order is. */
export const orderStatuses = ["placed", "accepted", "ready", "completed", "cancelled"] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Where an order may go from each status. */
const next: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
	placed: ["accepted", "cancelled"],
	accepted: ["ready", "cancelled"],
	ready: ["completed", "cancelled"],
	completed: [],
	cancelled: [],
};

/** The statuses from which an order may go to this one. */
export const statusesBefore = (status: OrderStatus): readonly OrderStatus[] =>
	orderStatuses.filter((from) => next[from].includes(status));

/** Who placed an order. */
export type Placer = { kind: "user" | "client" | "key"; id: string };

export type OrderLine = { itemId: string; name: string; unitPriceMinor: bigint; quantity: number };

export type Order = {
	id: string;
	/** The date in the tenant's time zone, `YYYY-MM-DD`, and the number of that day. */
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

/** What is asked for: items and how many of each. */
export type Wanted = ReadonlyArray<{ itemId: string; quantity: number }>;

/** Name and price of each line as they are now; the items that are not sold are named instead when there are any. */
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
 * How many orders a day one customer may place: a share of the tenant's limit in per cent, rounded down, at least one.
 * Undefined when the tenant has no limit (-1).
 */
export function shareOf(limit: number, percent: number): number | undefined {
	if (limit === -1) return undefined;
	return Math.max(1, Math.floor((limit * percent) / 100));
}

/** What tells two orders under one Idempotency-Key apart. */
export const fingerprintOf = (wanted: Wanted, outletId: string | undefined): Buffer =>
	createHash("sha256")
		.update(JSON.stringify([outletId ?? null, wanted.map(({ itemId, quantity }) => [itemId, quantity])]))
		.digest();
