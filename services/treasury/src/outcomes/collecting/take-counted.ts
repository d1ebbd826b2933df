import type { Database } from "@lango/postgres";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { toMinor } from "../../money/amount.ts";
import type { Located } from "../../payments/locator.store.ts";
import { findCounted } from "../../receipts/receipt.store.ts";
import { takeReceipt } from "../../receipts/taken-receipt.store.ts";

/** The number of money at a shortcode of the platform, and the tenant whose money it turns out to be. */
type Named = { tenantId: string; receipt: string };

/**
 * Moves money that waits with the platform owner, because its tenant was not known, to the tenant of the
 * transaction. Returns where the number is counted if it is of another tenant and stays there, because
 * something of it is used. Call it inside the tenant.
 */
export async function takeCounted(tx: Database, named: Named): Promise<Located | undefined> {
	const counted = await findElsewhere(tx, named);
	if (counted === undefined) return undefined;
	return (await takeReceipt(tx, counted.objectId, counted.tenantId)) ? undefined : counted;
}

/** Finds where a number is counted, if it is in another tenant. */
export async function findElsewhere(
	tx: Database,
	{ tenantId, receipt }: Named,
): Promise<Located | undefined> {
	const counted = await findCounted(tx, "mobile_money", receipt);
	return counted?.tenantId === tenantId ? undefined : counted;
}

type Used = Named & {
	intentId: string | undefined;
	elsewhere: Located;
	amountMinor: bigint;
	currency: string;
	now: Date;
};

/** The platform owner has used the money for another tenant than the one whose it is: it has to decide. */
export async function raiseUsed(
	tx: Database,
	{ tenantId, intentId, elsewhere, receipt, amountMinor, currency, now }: Used,
): Promise<void> {
	await raiseException(tx, {
		...{ class: "duplicate", subject: receipt, amountMinor, currency, now },
		ours: {
			...{ tenant_id: elsewhere.tenantId, receipt_id: elsewhere.objectId },
			because: "the money is used for this tenant, and is another one's by what it names",
		},
		theirs: {
			...{ receipt, amount_minor: toMinor(amountMinor), currency, tenant_id: tenantId },
			...(intentId !== undefined && { intent_id: intentId }),
		},
	});
}
