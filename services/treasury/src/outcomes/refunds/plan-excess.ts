import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { findTenantGateway } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";

/** A query and a confirmation of the same money are joined by then. */
const waitSeconds = 900;

/**
 * Plans that what a payer paid too much is returned by itself, if the tenant wants that (`refund_excess`).
 * Call it inside the tenant.
 */
export async function planExcess(tx: Database, { tenantId, id }: Receipt): Promise<void> {
	if ((await findTenantGateway(tx))?.refundExcess !== true) return;
	await enqueueJob(tx, { name: "excess.refund" }, { id, tenantId, afterSeconds: waitSeconds });
}
