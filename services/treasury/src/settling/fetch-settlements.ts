import { uuidV7 } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { requireAccepted, requireRead } from "../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../gateways/card-gateway/account.ts";
import { type CardSettlement, listSettlements } from "../gateways/card-gateway/settlements.ts";
import { saveSettlement } from "../settlements/settlement.store.ts";
import { isPaidOut, type Settlement } from "../settlements/settlement.ts";
import type { Treasury } from "../treasury.ts";

/** The job that settles the receipts of a settlement, by its name. */
const settleJob = { name: "settlements.settle" } as const;

const perPage = 100;
/** A hundred settlements each: of 400 days in 25 currencies. */
const pagesMax = 100;

/** The first and the last instant. */
export type Range = { from: Date; to: Date };

/**
 * Fetches the settlements of a time from the card gateway, and stores each once. What is paid out is
 * settled by a job. Returns how many the gateway listed. Throws `gateway_unavailable` and
 * `gateway_refused`, at the end also if one of them cannot be read.
 */
export async function fetchSettlements(
	domain: Treasury,
	gateway: CardGateway,
	range: Range,
): Promise<number> {
	let [found, unread] = [0, 0];
	for (let page = 1; page <= pagesMax; page += 1) {
		const bounds = { from: range.from.toISOString(), to: range.to.toISOString() };
		const { settlements, unreadable } = requireAccepted(
			await listSettlements(gateway, { page, perPage, ...bounds }),
		).ids;
		for (const settlement of settlements) await storeSettlement(domain, gateway, settlement);
		found += settlements.length;
		unread += unreadable;
		if (settlements.length + unreadable < perPage) {
			requireRead(unread);
			return found;
		}
	}
	throw new Error(`the gateway listed more than ${pagesMax} pages of settlements`);
}

async function storeSettlement(
	{ db, now }: Treasury,
	{ profile }: CardGateway,
	said: CardSettlement,
): Promise<void> {
	const at = now();
	const stated = { ...statedBy(said, at), settlesTo: profile.settings.settles_to };
	await db.transaction(async (tx) => {
		const stored = await saveSettlement(tx, { ...stated, id: uuidV7(at), now: at });
		if (stored.state === "paid") await enqueueJob(tx, settleJob, { id: stored.id });
	});
}

function statedBy(said: CardSettlement, now: Date): Omit<Settlement, "id" | "listedAt" | "settlesTo"> {
	const { id: gatewayId, status: gatewayStatus = "pending", currency = "KES", settledOn } = said;
	const { effectiveMinor, processedMinor, feesMinor, deductionsMinor } = said;
	const settledAt = new Date(settledOn ?? Number.NaN);
	return {
		...{ gatewayId, gatewayStatus, state: isPaidOut(gatewayStatus) ? "paid" : "announced", currency },
		...{ effectiveMinor, processedMinor, feesMinor, deductionsMinor },
		settledAt: Number.isNaN(settledAt.getTime()) ? now : settledAt,
	};
}
