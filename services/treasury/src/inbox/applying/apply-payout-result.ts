import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { findPayout } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import type { DeliveryEnd } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { PayoutResult } from "../reading.ts";
import { isInTime, opens } from "../trust/trust.ts";
import { applyRefundResult } from "./apply-reversal.ts";

type Applying = { delivery: Delivery; result: PayoutResult; now: Date };

/**
 * Applies the result of a payout from a shortcode. Only the token of the payout opens it; without one
 * the gateway is asked what became of the payout, and only its answer counts.
 */
export async function applyPayoutResult(tx: Database, applying: Applying): Promise<DeliveryEnd> {
	const { delivery, result } = applying;
	const token = await findLocator(tx, "callback_token", delivery.tokenHash ?? "");
	const isApplied =
		token !== undefined &&
		(await inTenant(tx, token.tenantId, (inside) => applyOpened(inside, applying, token.objectId)));
	if (isApplied) return { trust: "token", eventKey: undefined, status: "done", because: undefined };
	return takeHint(tx, result);
}

/** Returns false if the token or what is said does not fit. */
async function applyOpened(
	tx: Database,
	{ delivery, result, now }: Applying,
	tokenId: string,
): Promise<boolean> {
	const token = await findCallbackToken(tx, tokenId);
	if (token === undefined || !opens(token, delivery)) return false;
	if (token.objectKind === "refund") return applyRefundResult(tx, { delivery, result, now }, token);
	if (token.objectKind !== "payout") return false;
	const payout = await findPayout(tx, token.objectId);
	if (payout === undefined || !isOf(payout, result, now)) return false;
	const { tenantId, id } = payout;
	const said = saidByResult(result);
	const about = { tenantId, payoutId: id, source: "delivery", sourceId: delivery.id, at: now } as const;
	await applyOutcome(tx, { ...about, payout: said });
	if (said.kind === "unknown") await enqueueJob(tx, { name: "payouts.query" }, { id, tenantId });
	return true;
}

/** What one side does not say cannot disagree. One that was not sent, as far as we know, has no result. */
const isOf = (payout: Payout, result: PayoutResult, now: Date): boolean =>
	payout.sends > 0 &&
	agrees(payout.reference, result.originatorId) &&
	agrees(payout.conversationId ?? undefined, result.conversationId) &&
	agrees(payout.netMinor, result.amountMinor) &&
	isInTime(result.finishedAt, { sentAt: payout.submittedAt ?? payout.createdAt, now });

const agrees = <T>(ours: T | undefined, said: T | undefined): boolean =>
	ours === undefined || said === undefined || ours === said;

const paidCode = "0";
/** Our id was used before: the payout exists, and this says nothing about it. */
const duplicateCode = "15";

function saidByResult({ code, receipt, finishedAt, chargeMinor }: PayoutResult): PayoutSaid {
	if (code === paidCode) return { kind: "paid", receipt, paidAt: finishedAt, feeMinor: chargeMinor };
	return code === duplicateCode
		? { kind: "unknown", because: "duplicate_originator" }
		: { kind: "failed", code };
}

/** The job that asks the gateway about a payout because of a hint, by its name. */
const askJob = { name: "payouts.ask" } as const;

async function takeHint(tx: Database, { originatorId = "" }: PayoutResult): Promise<DeliveryEnd> {
	const about = { trust: "none" as const, eventKey: undefined };
	const found = await findLocator(tx, "reference", originatorId);
	if (found === undefined) return { ...about, status: "ignored", because: "the request is not known" };
	await enqueueJob(tx, askJob, { id: found.objectId, tenantId: found.tenantId });
	return { ...about, status: "done", because: "the sender is not trusted: the gateway is asked" };
}

/**
 * The gateway did not finish a payout in time: it is asked at once. Returns false if the token is of
 * something else.
 */
export async function applyPayoutTimeout(
	tx: Database,
	{ delivery, payoutId, now }: { delivery: Delivery; payoutId: string; now: Date },
): Promise<boolean> {
	const payout = await findPayout(tx, payoutId);
	if (payout === undefined) return false;
	const { tenantId, id } = payout;
	await applyOutcome(tx, {
		...{ tenantId, payoutId: id, source: "delivery" as const, sourceId: delivery.id, at: now },
		payout: { kind: "unknown", because: "timeout" },
	});
	await enqueueJob(tx, { name: "payouts.query" }, { id, tenantId });
	return true;
}
