import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { RefundSaid } from "../../outcomes/evidence/refund-evidence.ts";
import { findLocator } from "../../payments/locator.store.ts";
import type { GatewayQuery } from "../../queries/query.ts";
import { findMoved } from "../../receipts/money-out.store.ts";
import { findRefund, findRefundByOriginator } from "../../refunds/refund.store.ts";
import type { Refund } from "../../refunds/refund.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import type { CallbackToken } from "../callback-token.ts";
import type { DeliveryEnd } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { ReversalResult, StatusResult } from "../reading.ts";
import { opens } from "../trust/trust.ts";

type Reversed = {
	delivery: Delivery;
	result: Pick<ReversalResult, "code" | "receipt" | "originatorId" | "amountMinor" | "chargeMinor">;
	now: Date;
};

const untrusted = { trust: "none", eventKey: undefined } as const;

/**
 * Applies the result of a reversal. Only the token of its refund opens it; without one nothing is applied,
 * and the gateway is asked when its time comes.
 */
export async function applyReversal(tx: Database, reversed: Reversed): Promise<DeliveryEnd> {
	const token = await findLocator(tx, "callback_token", reversed.delivery.tokenHash ?? "");
	const isApplied =
		token !== undefined &&
		(await inTenant(tx, token.tenantId, (inside) => applyOpened(inside, reversed, token.objectId)));
	if (isApplied) return { trust: "token", eventKey: undefined, status: "done", because: undefined };
	return { ...untrusted, status: "ignored", because: "the result is of no reversal of ours" };
}

/** Returns false if the token or what is said does not fit. */
async function applyOpened(
	tx: Database,
	{ delivery, result, now }: Reversed,
	tokenId: string,
): Promise<boolean> {
	const token = await findCallbackToken(tx, tokenId);
	if (token?.objectKind !== "refund" || !opens(token, delivery)) return false;
	return applyRefundResult(tx, { delivery, result, now }, token);
}

/**
 * Applies the result of a reversal, or of a payout that returns money, that its token has opened. Returns
 * false if what is said does not fit. Call it inside the tenant.
 */
export async function applyRefundResult(
	tx: Database,
	{ delivery, result, now }: Reversed,
	token: CallbackToken,
): Promise<boolean> {
	const refund = await findRefund(tx, token.objectId);
	if (refund === undefined || !isOf(refund, result)) return false;
	const refundSaid = saidByResult(result);
	if (refundSaid === undefined) return askAboutRefund(tx, token);
	await say(tx, { refund, refundSaid, source: "delivery", sourceId: delivery.id, at: now });
	return true;
}

/** What one side does not know cannot disagree. A gateway may give the request another id than ours. */
const isOf = ({ id, originatorId, amountMinor }: Refund, said: Reversed["result"]): boolean =>
	(originatorId === null || originatorId === id || agrees(originatorId, said.originatorId)) &&
	agrees(amountMinor, said.amountMinor);

const agrees = <T>(ours: T, said: T | undefined): boolean => said === undefined || said === ours;

const reversedCode = "0";
/**
 * The payment was reversed before, or the id of a payout was used before: perhaps by this request. The
 * gateway is asked.
 */
const doneBefore: ReadonlySet<string> = new Set(["R000001", "15"]);

function saidByResult({ code, receipt, chargeMinor }: Reversed["result"]): RefundSaid | undefined {
	if (code === reversedCode) return { kind: "processed", gatewayRef: receipt, feeMinor: chargeMinor };
	return doneBefore.has(code) ? undefined : { kind: "failed", code };
}

/** The gateway did not say what became of a refund: it is asked at once. Call it inside the tenant. */
export async function askAboutRefund(
	tx: Database,
	{ objectId: id, tenantId }: Pick<CallbackToken, "objectId" | "tenantId">,
): Promise<true> {
	await enqueueJob(tx, { name: "refunds.query" }, { id, tenantId });
	return true;
}

type Answered = { query: GatewayQuery; result: StatusResult; deliveryId: string; now: Date };

/** How a request ended, by the gateway's word; any other word leaves it as it is. */
const failedWords: ReadonlySet<string> = new Set(["failed", "declined", "cancelled", "expired"]);

/**
 * Applies the answer to a question about the request of a refund, or about the number of its movement. Its
 * code says only whether the question was answered: another one than 0 leaves the refund as it is. Call it
 * inside the tenant.
 */
export async function applyRefundStatus(tx: Database, answered: Answered): Promise<void> {
	const { query, result, deliveryId, now } = answered;
	const refund = await findAsked(tx, query);
	const word = (result.code === reversedCode ? result.status : undefined)?.toLowerCase() ?? "";
	if (refund === undefined || (word !== "completed" && !failedWords.has(word))) return;
	const { receipt: gatewayRef, chargeMinor: feeMinor } = result;
	const refundSaid: RefundSaid =
		word === "completed" ? { kind: "processed", gatewayRef, feeMinor } : { kind: "failed", code: word };
	await say(tx, { refund, refundSaid, source: "query", sourceId: deliveryId, at: now });
}

async function findAsked(tx: Database, { about }: GatewayQuery): Promise<Refund | undefined> {
	if ("originatorId" in about) return findRefundByOriginator(tx, about.originatorId);
	const id = "receipt" in about ? await findMoved(tx, { kind: "refund", receipt: about.receipt }) : undefined;
	return id === undefined ? undefined : findRefund(tx, id);
}

type Saying = {
	refund: Refund;
	refundSaid: RefundSaid;
	source: "delivery" | "query";
	sourceId: string;
	at: Date;
};

const say = (tx: Database, { refund: { tenantId, id: refundId }, ...saying }: Saying): Promise<void> =>
	applyOutcome(tx, { tenantId, refundId, ...saying });
