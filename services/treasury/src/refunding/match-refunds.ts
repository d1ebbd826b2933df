import type { CardRefund } from "../gateways/card-gateway/refunds.ts";
import { isRefundSent, type Refund, resolvedCode } from "../refunds/refund.ts";

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
 * that it does not matter which is which. Pure.
 */
export function matchRefunds(ours: readonly Refund[], listed: readonly CardRefund[]): Matched {
	const byId = new Map(listed.map((entry) => [entry.id, entry]));
	const named = ours.flatMap((refund) => {
		const entry = refund.gatewayRef === null ? undefined : byId.get(refund.gatewayRef);
		return entry === undefined ? [] : [{ refund, entry }];
	});
	const claimed = new Set(named.map(({ entry }) => entry.id));
	const free = listed.filter(({ id }) => !claimed.has(id)).toSorted(byNumber);
	const unnamed = ours
		.filter((refund) => refund.gatewayRef === null && mayExistThere(refund))
		.flatMap((refund) => {
			const index = free.findIndex(({ amountMinor }) => amountMinor === refund.amountMinor);
			const [entry] = index === -1 ? [] : free.splice(index, 1);
			return entry === undefined ? [] : [{ refund, entry }];
		});
	return { known: [...named, ...unnamed], foreign: free };
}

/** How one ended that the gateway had; of any other failure it has none. */
const endsThere: ReadonlySet<string | null> = new Set(["failed", resolvedCode]);

/** Whether the gateway may have a refund: it was sent, and not refused. Pure. */
export const mayExistThere = (refund: Refund): boolean =>
	isRefundSent(refund) && (refund.status !== "failed" || endsThere.has(refund.failureCode));

/** Ids are numbers that grow. */
const byNumber = (one: CardRefund, other: CardRefund): number =>
	one.id.length - other.id.length || (one.id < other.id ? -1 : 1);
