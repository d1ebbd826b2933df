import { recordAudit } from "@lango/access";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { recordShortcodeVerified } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import { mobileMoneyCurrency, toMinor } from "../../money/amount.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { endQuery, lockQuery, recordQueryUnknown } from "../../queries/query.store.ts";
import { type GatewayQuery, type QueryAbout, sumOf } from "../../queries/query.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import type { DeliveryEnd } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { BalanceResult, Reading, ResultIds, StatusResult } from "../reading.ts";
import { isOpened } from "../trust/is-opened.ts";
import { opens } from "../trust/trust.ts";
import { applyPayoutTimeout } from "./apply-payout-result.ts";
import { applyPayoutStatus } from "./apply-payout-status.ts";
import { applyReceiptStatus, type PromptedMoney } from "./apply-receipt-status.ts";
import { applyRefundStatus, askAboutRefund } from "./apply-reversal.ts";

/** What is said about a question: its answer, or that none comes in time. */
export type ResultReading = Extract<Reading, { kind: "balance" | "status" | "timeout" }>;

type Result = {
	delivery: Delivery;
	reading: ResultReading;
	/** The platform owner's tenant id; only an answer about balances or a transaction needs it. */
	ownerId: string | undefined;
	prompted: PromptedMoney;
	now: Date;
};

const untrusted = { trust: "none", eventKey: undefined } as const;
const applied: DeliveryEnd = { trust: "token", eventKey: undefined, status: "done", because: undefined };

/**
 * Applies the answer to a question, or that none comes in time. Only the token of the question opens it;
 * without one nothing is applied.
 */
export async function applyResult(tx: Database, result: Result): Promise<DeliveryEnd> {
	const { delivery, reading } = result;
	const token = await findLocator(tx, "callback_token", delivery.tokenHash ?? "");
	const isApplied =
		token !== undefined &&
		(await inTenant(tx, token.tenantId, (inside) => applyOpened(inside, result, token.objectId)));
	if (isApplied) return applied;
	// Timeouts of other requests arrive on these routes, too.
	if (reading.kind === "timeout" && (await isOpened(tx, delivery)))
		return { ...applied, status: "parked", because: "the gateway did not finish the request in time" };
	return { ...untrusted, status: "ignored", because: "the answer is to no question of ours" };
}

/** Returns false if the token or the ids do not fit. */
async function applyOpened(
	tx: Database,
	{ delivery, reading, ownerId, prompted, now }: Result,
	tokenId: string,
): Promise<boolean> {
	const token = await findCallbackToken(tx, tokenId);
	if (token === undefined || !opens(token, delivery)) return false;
	if (token.objectKind === "refund" && reading.kind === "timeout") return askAboutRefund(tx, token);
	if (token.objectKind === "payout" && reading.kind === "timeout")
		return applyPayoutTimeout(tx, { delivery, payoutId: token.objectId, now });
	if (token.objectKind !== "query") return false;
	const query = await lockQuery(tx, token.objectId);
	if (query === undefined) return false;
	if (reading.kind === "timeout") await recordQueryUnknown(tx, query.id);
	else if (!isAnswerTo(query, reading)) return false;
	else if (query.endedAt === undefined) await end(tx, { query, reading, delivery, ownerId, prompted, now });
	return true;
}

type Answered = { kind: QueryAbout["kind"]; result: ResultIds };

const isAnswerTo = (query: GatewayQuery, { kind, result }: Answered): boolean =>
	kind === query.about.kind &&
	agrees(query.gatewayOriginatorId, result.originatorId) &&
	agrees(query.gatewayConversationId, result.conversationId);

/** What one side does not know cannot disagree. */
const agrees = (ours: string | undefined, said: string | undefined): boolean =>
	ours === undefined || said === undefined || ours === said;

type Ending = Omit<Result, "reading"> & {
	query: GatewayQuery;
	reading: Exclude<ResultReading, { kind: "timeout" }>;
};

const answeredCode = "0";

/** A code other than 0 says only that the question was not answered. */
async function end(tx: Database, ending: Ending): Promise<void> {
	const { query, reading, now } = ending;
	const { code } = reading.result;
	if (reading.kind === "status") {
		await applyRefundStatus(tx, { query, result: reading.result, deliveryId: ending.delivery.id, now });
		await applyPayoutStatus(tx, { query, result: reading.result, deliveryId: ending.delivery.id, now });
	}
	const refusal =
		reading.kind === "status"
			? await applyReceiptStatus(tx, {
					...{ query, result: reading.result, deliveryId: ending.delivery.id },
					...{ ownerId: ending.ownerId, prompted: ending.prompted, now },
				})
			: undefined;
	if (refusal !== undefined) return endQuery(tx, { id: query.id, end: { failureCode: refusal }, now });
	if (code !== answeredCode) return endQuery(tx, { id: query.id, end: { failureCode: code }, now });
	if (reading.kind === "balance") return endBalance(tx, { ...ending, result: reading.result });
	await endQuery(tx, { id: query.id, end: { result: toStatusAnswer(reading.result) }, now });
}

/** The job that compares the balances of the platform's shortcode, by its name. */
const compareJob = { name: "balances.compare" } as const;

/**
 * The gateway read the balance for the tenant's own initiator, so the shortcode is the tenant's. The
 * platform's own shortcode has no mirror: its balance is compared with the ledger.
 */
async function endBalance(
	tx: Database,
	{ query, result, delivery, ownerId, now }: Ending & { result: BalanceResult },
): Promise<void> {
	const { tenantId, id, shortcode, createdAt } = query;
	const answer = toBalanceAnswer(result);
	await endQuery(tx, { id, end: { result: answer }, now });
	if (answer.accounts.length === 0) return;
	if (await recordShortcodeVerified(tx, shortcode, now)) await auditVerified(tx, query, now);
	if (tenantId === ownerId) return enqueueJob(tx, compareJob, { id, tenantId });
	const amountMinor = sumOf(answer.accounts, mobileMoneyCurrency);
	await applyOutcome(tx, {
		...{ tenantId, queryId: id, source: "query", sourceId: delivery.id, askedAt: createdAt, at: now },
		balance: { shortcode, currency: mobileMoneyCurrency, amountMinor },
	});
}

/** From now on the shortcode collects in production. The entry names the question and its asker. */
const auditVerified = (tx: Database, { tenantId, id, shortcode, createdBy }: GatewayQuery, at: Date) =>
	recordAudit(tx, {
		...{ tenantId, at, actor: { kind: "system", id: "treasury" } },
		...{ action: "shortcode.verified", subject: shortcode },
		detail: { query_id: id, asked_by: createdBy.id },
	});

const toBalanceAnswer = ({ accounts, finishedAt }: BalanceResult) => ({
	accounts: accounts.map(({ name, currency, currentMinor, availableMinor }) => ({
		...{ name, currency, current_minor: toMinor(currentMinor), available_minor: toMinor(availableMinor) },
	})),
	finished_at: finishedAt?.toISOString() ?? null,
});

const toStatusAnswer = ({ status, receipt, amountMinor, shortcode, finishedAt }: StatusResult) => ({
	...{ status: status ?? null, receipt: receipt ?? null, shortcode: shortcode ?? null },
	amount_minor: amountMinor === undefined ? null : toMinor(amountMinor),
	finished_at: finishedAt?.toISOString() ?? null,
});
