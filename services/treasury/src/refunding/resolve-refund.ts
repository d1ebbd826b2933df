import { type AuditEntry, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { lockRefundOf } from "../outcomes/refunds/lock-returnable.ts";
import { isAnsweredSince } from "../queries/query.store.ts";
import { findReceipt } from "../receipts/receipt.store.ts";
import { refundFailures } from "../refunds/failures.ts";
import { findRefund, findRefundTenant, proposeFailed, type StoredRefund } from "../refunds/refund.store.ts";
import { isRefundOpen, type Refund, resolvedCode } from "../refunds/refund.ts";
import type { Treasury } from "../treasury.ts";
import { canListRefunds } from "./ask-for-refunds.ts";
import { checkRefund } from "./find-out-refund.ts";
import { canAskAbout } from "./find-shortcode.ts";
import { isAgreed } from "./is-agreed.ts";

/** What an operator says became of a refund. */
export type Resolution = {
	refundId: string;
	as: "processed" | "failed";
	because: string;
	by: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/**
 * Decides what became of a refund of which the gateway does not say it: it is asked once more first. That
 * it failed, so that its money is given back, takes two operators, and the answer of a gateway that
 * can be asked: not about a shortcode that its tenant no longer has. Throws `refund_not_found`,
 * `refund_not_waiting`, `resolver_is_proposer` and `gateway_unavailable`.
 */
export async function resolveRefund(domain: Treasury, resolution: Resolution): Promise<StoredRefund> {
	const { db } = domain;
	const { refundId } = resolution;
	const tenantId = await findRefundTenant(db, refundId);
	const refund = tenantId && (await inTenant(db, tenantId, (tx) => findRefund(tx, refundId)));
	if (tenantId === undefined || !refund) throw refundFailures.refund_not_found();
	requireWaiting(refund);
	const isAnswered = await checkRefund(domain, refund);
	if (resolution.as === "failed" && refund.method === "card" && !isAnswered) await requireUnaskable(domain);
	const mustBeAnswered = refund.method !== "card" && (await canAsk(domain, refund));
	return retryConflicts(() =>
		inTenant(db, tenantId, (tx) => decide(tx, domain, { ...resolution, tenantId, mustBeAnswered })),
	);
}

async function canAsk(domain: Treasury, { tenantId, receiptId }: Refund): Promise<boolean> {
	const receipt = await inTenant(domain.db, tenantId, (tx) => findReceipt(tx, receiptId));
	return receipt !== undefined && canAskAbout(domain, receipt);
}

/** A gateway that can list refunds has to answer before the money of one is given back. */
async function requireUnaskable({ gateways }: Treasury): Promise<void> {
	if (await canListRefunds(gateways)) throw gatewayFailures.gateway_unavailable();
}

/** A person decides only once the gateway waits for one, or was asked for the last time. */
function requireWaiting(refund: Refund): void {
	if (!isRefundOpen(refund) || !refund.needsReview) throw refundFailures.refund_not_waiting();
}

type Deciding = Resolution & {
	tenantId: string;
	/** Whether the mobile-money gateway has to answer a question before the refund fails. */
	mustBeAnswered: boolean;
};

async function decide(
	tx: Database,
	{ now }: Treasury,
	{ tenantId, mustBeAnswered, ...resolution }: Deciding,
): Promise<StoredRefund> {
	const { refundId: id, as, because, by } = resolution;
	const at = now();
	const { refund } = await lockRefundOf(tx, tenantId, id);
	if (refund === undefined) throw refundFailures.refund_not_found();
	requireWaiting(refund);
	const isDecided = as === "processed" || isAgreed(refund, by.actor.id, at);
	if (isDecided && as === "failed" && mustBeAnswered) await requireQueried(tx, refund);
	if (isDecided)
		await applyOutcome(tx, {
			...{ tenantId, refundId: id, source: "operator", sourceId: by.actor.id, at },
			refundSaid: as === "failed" ? { kind: "failed", code: resolvedCode } : { kind: "processed" },
		});
	else await proposeFailed(tx, { id, by: by.actor.id, now: at });
	await recordAudit(tx, {
		...{ tenantId, at, ...by, action: "refund.resolved", subject: id },
		detail: { as, because, is_decided: isDecided },
	});
	return (await findRefund(tx, id)) ?? refund;
}

/** The mobile-money gateway has to answer a question that was asked since the first operator decided. */
async function requireQueried(tx: Database, { originatorId, proposedAt }: Refund): Promise<void> {
	if (originatorId === null || proposedAt === null) return;
	if (!(await isAnsweredSince(tx, { originatorId, since: proposedAt })))
		throw gatewayFailures.gateway_unavailable();
}
