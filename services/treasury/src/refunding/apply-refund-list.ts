import { createHash } from "node:crypto";
import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { CardRefund } from "../gateways/card-gateway/refunds.ts";
import { saidByRefundStatus } from "../gateways/card-gateway/said-by-refund.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { EvidenceSource } from "../outcomes/evidence/evidence.ts";
import type { RefundSaid } from "../outcomes/evidence/refund-evidence.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { ladders } from "../recovery/ladder.ts";
import { findRefund, listRefundsOf } from "../refunds/refund.store.ts";
import { isRefundOpen } from "../refunds/refund.ts";
import { matchRefunds } from "./match-refunds.ts";
import { scheduleRefund } from "./schedule-refund.ts";

type Listed = {
	receipt: Receipt;
	listed: readonly CardRefund[];
	source: EvidenceSource;
	sourceId: string | undefined;
	now: Date;
};

/**
 * Applies the card gateway's list of the refunds of a transaction: what it says about ours, and those that
 * were made there, which become refunds here. Call it inside the tenant, with the receipt locked.
 */
export async function applyRefundList(tx: Database, list: Listed): Promise<void> {
	const { receipt, listed } = list;
	const ours = await listRefundsOf(tx, receipt.id);
	const { known, foreign } = matchRefunds(ours, listed);
	for (const { refund, entry } of known) await say(tx, list, { refundId: refund.id, entry });
	for (const entry of foreign) await adoptRefund(tx, { ...list, entry });
}

async function say(
	tx: Database,
	{ receipt: { tenantId }, source, sourceId, now: at }: Omit<Listed, "listed">,
	{ refundId, entry }: { refundId: string; entry: CardRefund },
): Promise<void> {
	const about = { tenantId, refundId, source, sourceId, at };
	const { id: gatewayRef, amountMinor, status } = entry;
	const all: RefundSaid[] = [{ kind: "accepted", gatewayRef, amountMinor }, saidByRefundStatus(status)];
	for (const refundSaid of all) await applyOutcome(tx, { ...about, refundSaid });
}

type Adopting = Omit<Listed, "listed"> & {
	/** The id is missing where an event is all that is known. */
	entry: Pick<CardRefund, "amountMinor" | "status"> & { id: string | undefined };
};

/** Records a refund that was made at the gateway, unless it failed: no money moved. */
export async function adoptRefund(tx: Database, adopting: Adopting): Promise<void> {
	const { receipt, entry, source, sourceId, now: at } = adopting;
	const { tenantId } = receipt;
	const said = saidByRefundStatus(entry.status);
	if (said.kind === "failed") return;
	const id = uuidV7(at);
	await applyOutcome(tx, {
		...{ tenantId, of: "whole", mayBeDebt: true, source, sourceId, at },
		newRefund: {
			...{ id, receiptId: receipt.id, paymentId: null, origin: "gateway", method: "card" },
			...{ amountMinor: entry.amountMinor, reason: madeThere, customerNote: null },
			...{ gatewayRef: entry.id ?? null, nextCheckAt: null, idempotencyKey: entry.id },
			createdBy: { kind: "gateway", id: "card_gateway" },
			fingerprint: createHash("sha256")
				.update(entry.id ?? "")
				.digest(),
		},
	});
	await applyOutcome(tx, { tenantId, refundId: id, refundSaid: said, source, sourceId, at });
	const refund = await findRefund(tx, id);
	if (refund === undefined || !isRefundOpen(refund)) return;
	const afterSeconds = ladders.refund[0];
	await scheduleRefund(tx, { now: () => at }, { refund, job: "refunds.query", afterSeconds });
}

const madeThere = "Made at the gateway";
