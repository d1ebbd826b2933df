import { inTenant } from "@lango/postgres";
import type { Answer } from "../gateways/calls/answer.ts";
import { type CardRefund, createRefund } from "../gateways/card-gateway/refunds.ts";
import { saidByRefundStatus } from "../gateways/card-gateway/said-by-refund.ts";
import type { MobileMoney, ResultUrls } from "../gateways/mobile-money/account.ts";
import { payCustomer } from "../gateways/mobile-money/payout.ts";
import type { Conversation } from "../gateways/mobile-money/read-response.ts";
import { reverseTransaction } from "../gateways/mobile-money/reversal.ts";
import { issueCallbackToken } from "../inbox/callback-token.store.ts";
import { type CallbackRoute, callbackUrl } from "../inbox/callback-token.ts";
import type { RefundSaid } from "../outcomes/evidence/refund-evidence.ts";
import type { Receipt } from "../receipts/receipt.ts";
import type { Refund, RefundMethod } from "../refunds/refund.ts";
import type { Treasury } from "../treasury.ts";
import { findPayerPhone } from "./choose-method.ts";
import { findShortcode } from "./find-shortcode.ts";

type Sending = { refund: Refund; receipt: Receipt };

/** Calls the gateway of a refund that is recorded as being submitted, and returns what the answer says. */
export const sendRefund = (domain: Treasury, sending: Sending): Promise<RefundSaid[]> =>
	senders[sending.refund.method](domain, sending);

type Send = (domain: Treasury, sending: Sending) => Promise<RefundSaid[]>;

const senders: Readonly<Record<RefundMethod, Send>> = {
	card: sendByCard,
	reversal: sendReversal,
	payout: sendPayout,
};

const unavailable: RefundSaid[] = [{ kind: "not_sent", code: "channel_unavailable" }];

async function sendByCard({ gateways }: Treasury, { refund, receipt }: Sending): Promise<RefundSaid[]> {
	const gateway = await gateways.findCardGateway();
	if (gateway === undefined || receipt.receipt === null) return unavailable;
	const { amountMinor, currency, reason, customerNote } = refund;
	const answer = await createRefund(gateway, {
		...{ transaction: receipt.receipt, currency, amountMinor },
		...{ customerNote: customerNote ?? reason, merchantNote: `${reason} (${refund.id})` },
	});
	return saidByAnswer(answer, ({ id, status, ...stated }: CardRefund) => [
		{ kind: "accepted", gatewayRef: id, amountMinor: stated.amountMinor },
		saidByRefundStatus(status),
	]);
}

function saidByAnswer<T>(answer: Answer<T>, read: (ids: T) => RefundSaid[]): RefundSaid[] {
	if (answer.is === "accepted") return read(answer.ids);
	if (answer.is === "unknown") return [{ kind: "unknown", because: answer.because }];
	const { code, isRetryable } = answer;
	return [isRetryable ? { kind: "not_sent", code } : { kind: "rejected", code }];
}

const remarksMax = 100;

async function sendReversal(domain: Treasury, { refund, receipt }: Sending): Promise<RefundSaid[]> {
	const account = await findShortcode(domain, receipt);
	if (account === undefined || receipt.receipt === null || refund.originatorId === null) return unavailable;
	const urls = await issueUrls(domain, { refund, account, routes: ["reversal-result", "timeout"] });
	const answer = await reverseTransaction(account, {
		...{ ...urls, originatorId: refund.originatorId, receipt: receipt.receipt },
		amountMinor: refund.amountMinor,
		remarks: refund.reason.slice(0, remarksMax),
	});
	return saidByAnswer(answer, ({ originatorId }: Conversation) => [{ kind: "accepted", originatorId }]);
}

/** Pays what is returned to the phone that was prompted, from the shortcode that received it. */
async function sendPayout(domain: Treasury, { refund, receipt }: Sending): Promise<RefundSaid[]> {
	const account = await findShortcode(domain, receipt);
	const phone = await inTenant(domain.db, refund.tenantId, (tx) => findPayerPhone(tx, receipt));
	if (account === undefined || phone === undefined || refund.originatorId === null) return unavailable;
	const urls = await issueUrls(domain, { refund, account, routes: ["b2c-result", "b2c-timeout"] });
	const { originatorId, amountMinor, reason } = refund;
	const answer = await payCustomer(account, {
		...{ ...urls, originatorId, phone, amountMinor, command: "BusinessPayment" },
		remarks: reason.slice(0, remarksMax),
	});
	return saidByAnswer(answer, () => [{ kind: "accepted" }]);
}

/** A result may come days later. */
const tokenMs = 72 * 3_600_000;

type Issuing = {
	refund: Refund;
	account: MobileMoney;
	routes: readonly [result: CallbackRoute, timeout: CallbackRoute];
};

function issueUrls({ db, now, settings }: Treasury, issuing: Issuing): Promise<ResultUrls> {
	const { refund, account, routes } = issuing;
	const { tenantId, id } = refund;
	const [at, profileId] = [now(), account.profile.id];
	const expiresAt = new Date(at.getTime() + tokenMs);
	return inTenant(db, tenantId, async (tx) => {
		const urlOf = async (route: CallbackRoute) => {
			const object = { objectKind: "refund", objectId: id } as const;
			const token = await issueCallbackToken(tx, { tenantId, profileId, route, ...object, expiresAt }, at);
			return callbackUrl(settings.publicBaseUrl, { route, profileId, token });
		};
		return { resultUrl: await urlOf(routes[0]), timeoutUrl: await urlOf(routes[1]) };
	});
}
