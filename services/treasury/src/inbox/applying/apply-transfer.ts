import { type Database, inTenant } from "@lango/postgres";
import { getCardProfile } from "../../gateways/profiles/profile.store.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { findPayout } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import { type DeliveryEnd, isEventApplied } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { TransferStatement } from "../reading.ts";
import type { MustVerify } from "./apply-statement.ts";

type Applying = {
	delivery: Delivery;
	/** Whether its address is not on the list. */
	isHint: boolean;
	statement: TransferStatement;
	/** What the gateway said when it was asked about the transfer. */
	verified: { said: PayoutSaid | undefined } | undefined;
	now: Date;
};

/**
 * Applies an event about a transfer, whose signature was checked before it was stored. One that
 * differs from what was sent, that is about one which was not sent, or that is so large that a stolen key
 * would pay, is applied only with what the gateway's verify says.
 */
export async function applyTransfer(
	tx: Database,
	{ delivery, isHint, statement, verified, now }: Applying,
): Promise<DeliveryEnd | MustVerify> {
	const { reference, eventKey } = statement;
	const about = { trust: "signature" as const, eventKey };
	if (await isEventApplied(tx, eventKey))
		return { ...about, status: "done", because: "the event was applied before" };
	const found = await findLocator(tx, "reference", reference);
	if (found === undefined) return { ...about, status: "parked", because: "the reference is not known" };
	return inTenant(tx, found.tenantId, async (inside) => {
		const payout = await findPayout(inside, found.objectId);
		if (payout === undefined) throw new Error(`the payout ${found.objectId} does not exist`);
		if (verified === undefined && (isHint || (await isDoubtful(inside, payout, statement))))
			return { verify: reference };
		const said = verified === undefined ? statement.said : verified.said;
		if (said === undefined)
			return { ...about, status: "parked", because: "the gateway does not confirm the transfer" };
		await applyOutcome(inside, {
			...{ tenantId: payout.tenantId, payoutId: payout.id, payout: said, at: now },
			...{ source: "delivery" as const, sourceId: delivery.id },
		});
		return { ...about, status: "done", because: undefined };
	});
}

async function isDoubtful(
	tx: Database,
	payout: Payout,
	{ amountMinor, currency }: TransferStatement,
): Promise<boolean> {
	if (amountMinor !== payout.netMinor || currency !== payout.currency || payout.sends === 0) return true;
	return amountMinor > BigInt((await getCardProfile(tx)).settings.verify_above_minor);
}
