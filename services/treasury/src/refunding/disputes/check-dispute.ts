import { type Database, inTenant } from "@lango/postgres";
import { findDispute } from "../../disputes/dispute.store.ts";
import { isOverdue, overdueException } from "../../disputes/dispute.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { toMinor } from "../../money/amount.ts";
import type { Treasury } from "../../treasury.ts";
import { askAboutDispute } from "./ask-about-dispute.ts";
import { lockDispute } from "./lock-dispute.ts";

/**
 * Asks the card gateway about a dispute that is overdue. Unless it says how it ended, or that the bank
 * decides, an exception is raised: it is lost without an answer, or operators have to say how it ended.
 */
export async function checkDispute(
	domain: Pick<Treasury, "db" | "now" | "gateways">,
	tenantId: string,
	id: string,
): Promise<void> {
	const { db, now, gateways } = domain;
	const dispute = await inTenant(db, tenantId, (tx) => findDispute(tx, id));
	if (dispute === undefined || !isOverdue(dispute, now())) return;
	const gateway = await gateways.findCardGateway();
	const said = gateway && (await askAboutDispute(domain, gateway, dispute.gatewayId));
	if (said !== "at_bank") await inTenant(db, tenantId, (tx) => raiseOverdue(tx, id, now()));
}

async function raiseOverdue(tx: Database, id: string, now: Date): Promise<void> {
	const dispute = await lockDispute(tx, id);
	if (dispute === undefined || !isOverdue(dispute, now)) return;
	const { tenantId, receiptId: receipt_id, amountMinor, currency, status, gatewayId, dueAt } = dispute;
	await raiseException(tx, {
		...{ ...overdueException(id), amountMinor, currency, now },
		ours: {
			tenant_id: tenantId,
			dispute_id: id,
			receipt_id,
			status,
			amount_minor: toMinor(amountMinor),
			currency,
		},
		theirs: { dispute: gatewayId, due_at: dueAt?.toISOString() },
	});
}
