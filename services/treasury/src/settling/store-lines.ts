import { uuidV7 } from "@lango/events";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../gateways/card-gateway/account.ts";
import { listSettlementLines } from "../gateways/card-gateway/settlements.ts";
import type { Transaction } from "../gateways/card-gateway/transactions.ts";
import { markListed } from "../settlements/settlement.store.ts";
import type { Settlement, SettlementLine } from "../settlements/settlement.ts";
import { recordLines } from "../settlements/settlement-line.store.ts";
import type { Treasury } from "../treasury.ts";
import { toUncounted } from "./propose-suspense.ts";

const perPage = 100;
/** A settlement of more than a million charges is a mistake. */
const pagesMax = 10_000;

/**
 * Fetches the charges of a settlement from the card gateway, and stores each once. Returns how many cannot be
 * read; they are fetched again then. Throws `gateway_unavailable` and `gateway_refused`.
 */
export async function storeLines(
	{ db, now }: Pick<Treasury, "db" | "now">,
	gateway: CardGateway,
	{ id, gatewayId: settlementId }: Settlement,
): Promise<number> {
	let unread = 0;
	for (let page = 1; page <= pagesMax; page += 1) {
		const answer = await listSettlementLines(gateway, { settlementId, page, perPage });
		const { transactions, unreadable } = requireAccepted(answer).ids;
		const at = now();
		await recordLines(
			db,
			transactions.map((one) => toLine(one, id, at)),
		);
		unread += unreadable;
		if (transactions.length + unreadable < perPage) {
			if (unread === 0) await markListed(db, id, at);
			return unread;
		}
	}
	throw new Error(`the settlement ${settlementId} has more than ${pagesMax} pages of charges`);
}

function toLine(transaction: Transaction, settlementId: string, now: Date): Omit<SettlementLine, "state"> {
	return { ...toUncounted(transaction), id: uuidV7(now), settlementId };
}
