import { listOpenDisputes } from "../../disputes/dispute.store.ts";
import type { Dispute } from "../../disputes/dispute.ts";
import { listOpenSubjects } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { requireAccepted } from "../../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { listDisputes } from "../../gateways/card-gateway/disputes.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { toMinor } from "../../money/amount.ts";
import { applyStatedDispute, uncountedException } from "../../outcomes/apply-stated-dispute.ts";
import type { StatedDispute } from "../../outcomes/evidence/refund-evidence.ts";
import { askAboutDispute } from "../../refunding/disputes/ask-about-dispute.ts";
import type { Range } from "../../settling/fetch-settlements.ts";
import type { Treasury } from "../../treasury.ts";
import { askPageByPage } from "./ask-page-by-page.ts";

const perPage = 100;
const pagesMax = 10_000;

type Comparing = Pick<Treasury, "db" | "now">;

type Page = { after: string | undefined; limit: number };
type Waiting = Pick<Dispute, "id" | "gatewayId">;

/** Disputes that are open here, and disputes whose charge was not counted. */
const waiting: ReadonlyArray<(db: Treasury["db"], page: Page) => Promise<Waiting[]>> = [
	listOpenDisputes,
	async (db, page) => {
		const { class: of, subject: prefix } = uncountedException("");
		const found = await listOpenSubjects(db, { class: of, prefix, ...page });
		return found.map(({ id, subject }) => ({ id, gatewayId: subject.slice(prefix.length) }));
	},
];

/**
 * Applies what the card gateway says about the disputes that were raised within a time, and about all others
 * that are open here: their events may be lost. One whose charge is not counted raises an exception, and is
 * applied once the charge is counted. Compare charges first. Returns how many the gateway listed; 0 without
 * the capability `list_disputes`. Throws `gateway_unavailable` and `gateway_refused`.
 */
export async function compareDisputes(
	domain: Comparing,
	gateway: CardGateway,
	range: Range,
): Promise<number> {
	if (!gateway.profile.settings.capabilities.list_disputes) return 0;
	const listed = new Set<string>();
	const bounds = { from: range.from.toISOString(), to: range.to.toISOString() };
	for (let page = 1; page <= pagesMax; page += 1) {
		const { disputes, unreadable } = requireAccepted(
			await listDisputes(gateway, { page, perPage, ...bounds }),
		).ids;
		for (const stated of disputes) await compareDispute(domain, stated);
		for (const { dispute } of disputes) listed.add(dispute.gatewayId);
		if (disputes.length + unreadable < perPage) break;
	}
	const ask = async ({ gatewayId }: Waiting) =>
		listed.has(gatewayId) || askAboutDispute(domain, gateway, gatewayId);
	for (const list of waiting) await askPageByPage({ list: (page) => list(domain.db, page), ask });
	return listed.size;
}

async function compareDispute({ db, now }: Comparing, stated: StatedDispute): Promise<void> {
	const at = now();
	const about = { source: "query", sourceId: undefined, at } as const;
	await retryConflicts(() =>
		db.transaction(async (tx) => {
			const applied = await applyStatedDispute(tx, { stated, ...about });
			if (applied === "applied") return;
			const { dispute, currency, reference, transactionId } = stated;
			const { gatewayId, amountMinor, status } = dispute;
			await raiseException(tx, {
				...uncountedException(gatewayId),
				...(applied === "other_currency" && { class: "currency" }),
				...{ amountMinor, currency, now: at, ours: {} },
				theirs: {
					...{ dispute: gatewayId, transaction: transactionId, reference, status, currency },
					amount_minor: toMinor(amountMinor),
				},
			});
		}),
	);
}
