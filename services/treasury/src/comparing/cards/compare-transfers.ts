import { inTenant } from "@lango/postgres";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { saidByTransfer } from "../../gateways/card-gateway/said-by-transfer.ts";
import { verifyTransfer } from "../../gateways/card-gateway/transfers.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import { listTransferred, type Transferred } from "../../payouts/all-payouts.store.ts";
import type { Range } from "../../settling/fetch-settlements.ts";
import type { Treasury } from "../../treasury.ts";
import { askPageByPage } from "./ask-page-by-page.ts";

type Comparing = Pick<Treasury, "db" | "now">;

/**
 * Asks the card gateway about the transfers that were booked as paid within a time, page by page. What became
 * of one, and whose event was lost, is booked: it came back, or its fee is higher. That it failed is an
 * exception. One that the gateway does not know changes nothing. Throws `gateway_unavailable` if the gateway
 * does not answer about one, asked twice: after the last page, or at once if it answers about none of a page.
 */
export async function compareTransfers(
	domain: Comparing,
	gateway: CardGateway,
	{ from, to }: Range,
): Promise<void> {
	await askPageByPage({
		list: (page) => listTransferred(domain.db, { from, to, ...page }),
		ask: (one) => compareTransfer(domain, gateway, one),
	});
}

/** Returns whether the gateway answered. */
async function compareTransfer(
	{ db, now }: Comparing,
	gateway: CardGateway,
	{ tenantId, id: payoutId, reference, feeMinor }: Transferred,
): Promise<boolean> {
	const answer = await verifyTransfer(gateway, reference);
	if (answer.is !== "accepted") return answer.is === "refused" && answer.code === "not_found";
	const payout = saidByTransfer(answer.ids);
	if (answer.ids.reference !== reference || !isNews(payout, feeMinor)) return true;
	const about = { tenantId, payoutId, source: "query", sourceId: undefined, at: now() } as const;
	await retryConflicts(() => inTenant(db, tenantId, (tx) => applyOutcome(tx, { ...about, payout })));
	return true;
}

/** Whether the transfer came back, failed, or cost more than is known. */
const isNews = (said: PayoutSaid, feeMinor: bigint | null): boolean =>
	said.kind === "reversed" ||
	said.kind === "failed" ||
	(said.kind === "paid" && (said.feeMinor ?? -1n) > (feeMinor ?? -1n));
