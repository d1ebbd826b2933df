import type { CardRefund } from "../gateways/card-gateway/refunds.ts";
import { saidByRefundStatus } from "../gateways/card-gateway/said-by-refund.ts";
import { isRefundOpen, isRefundSent, type Refund, resolvedCode } from "../refunds/refund.ts";

/** What the card gateway's list of the refunds of a transaction says about ours. */
export type Matched = {
	/** Ours, with what the gateway has of each. */
	known: ReadonlyArray<{ refund: Refund; entry: CardRefund }>;
	/** Refunds that were made at the gateway, without a request here. */
	foreign: readonly CardRefund[];
};

/**
 * Matches the refunds of a transaction that the gateway lists with ours: by the id that it gave them, and
 * those whose id is not known by their amount, the oldest with the oldest. Two of one amount are equal, so
 * that it does not matter which is which; but one that an event has ended, which names no id, comes before
 * others, with one that ended so: otherwise both would count for the same money. Pure.
 */
export function matchRefunds(ours: readonly Refund[], listed: readonly CardRefund[]): Matched {
	const byId = new Map(listed.map((entry) => [entry.id, entry]));
	const named = ours.flatMap((refund) => {
		const entry = refund.gatewayRef === null ? undefined : byId.get(refund.gatewayRef);
		return entry === undefined ? [] : [{ refund, entry }];
	});
	const claimed = new Set(named.map(({ entry }) => entry.id));
	const free = listed.filter(({ id }) => !claimed.has(id)).toSorted(byNumber);
	const unnamed = ours.filter((refund) => refund.gatewayRef === null && mayExistThere(refund));
	const take = (refund: Refund, isOf: (entry: CardRefund) => boolean) => {
		const index = free.findIndex((entry) => entry.amountMinor === refund.amountMinor && isOf(entry));
		const [entry] = index === -1 ? [] : free.splice(index, 1);
		return entry === undefined ? [] : [{ refund, entry }];
	};
	const ended = unnamed
		.filter((one) => !isRefundOpen(one))
		.flatMap((one) => take(one, ({ status }) => saidByRefundStatus(status).kind === one.status));
	const taken = new Set(ended.map(({ refund }) => refund));
	const processedFirst = unnamed
		.filter((one) => !taken.has(one))
		.toSorted((one, other) => Number(other.status === "processed") - Number(one.status === "processed"));
	const others = processedFirst.flatMap((one) => take(one, () => true));
	return { known: [...named, ...ended, ...others], foreign: free };
}

/** How one ended that the gateway had; of any other failure it has none. */
const endsThere: ReadonlySet<string | null> = new Set(["failed", resolvedCode]);

/** Whether the gateway may have a refund: it was sent, and not refused. Pure. */
export const mayExistThere = (refund: Refund): boolean =>
	isRefundSent(refund) && (refund.status !== "failed" || endsThere.has(refund.failureCode));

/** Ids are numbers that grow. */
const byNumber = (one: CardRefund, other: CardRefund): number =>
	one.id.length - other.id.length || (one.id < other.id ? -1 : 1);
