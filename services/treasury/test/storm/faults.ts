type Rule = { operation: string; fault: string; probability?: number; count?: number; ms?: number };
/** The rules of both sandboxes. */
export type Faults = { mobileMoney: readonly Rule[]; cards: readonly Rule[] };

const ms = 50;
/** Rules of an operation, with the share of its calls to which each fault happens. */
const of = (operation: string, shares: Readonly<Record<string, number>>): Rule[] =>
	Object.entries(shares).map(([fault, probability]) => ({ operation, fault, probability, ms }));

const order = { delay: 0.2, duplicate: 0.2, reorder: 0.2 };
const forged = { forge_no_token: 0.2, forge_wrong_token: 0.2, forge_replay: 0.2 };
const answers = { http_500_after_commit: 0.12, reset_after_commit: 0.12, callback_before_ack: 0.2 };
const refusals = { token_invalidate: 0.05, spike_arrest: 0.05, quota: 0.05, maintenance: 0.05 };
const queries = of("push_query", { maintenance: 0.15, spike_arrest: 0.1, http_500_after_commit: 0.1 });
const callbacks = { drop: 0.3, mutate_amount: 0.2, wrong_phone: 0.2 };

/** Longer than the service waits for an answer, by operation. */
const tooLateMs = {
	initialize: 10_500,
	verify: 10_500,
	refund: 30_500,
	transfer: 30_500,
	bulk_transfer: 30_500,
};
/** Each of them holds up a payer or a job so long: once a round. */
const late = Object.entries(tooLateMs).map(([operation, wait]) => ({
	...{ operation, fault: "late_after_timeout", count: 1, ms: wait },
}));

const calls = { delay: 0.1, drop: 0.05, maintenance: 0.05, quota: 0.05 };
const lostAnswers = { http_500_after_commit: 0.12, reset_after_commit: 0.12, callback_before_ack: 0.1 };
const repeated = { delay: 0.2, duplicate: 0.2, reorder: 0.2, replay: 0.1, type_drift: 0.1 };
const ofForgers = { forge_unsigned: 0.1, forge_signature: 0.1 };
const ofEvents = (events: readonly string[], shares: Readonly<Record<string, number>>): Rule[] =>
	events.flatMap((event) => of(event, shares));

/**
 * Money that leaves by cards, plans and subscriptions. `subscription.expiring_cards` comes at the beginning
 * of a month, which a storm seldom reaches; `paymentrequest.success` follows no call of the treasury. An
 * event is lost where the service asks about the same later, about a transfer that succeeded and came back
 * when it compares balances, about disputes when it compares charges.
 */
const cardsOut = [
	...of("refund", { ...calls, ...lostAnswers }),
	...of("list_refunds", { maintenance: 0.1, http_500_after_commit: 0.1 }),
	...of("transfer", { ...calls, ...lostAnswers, otp_required: 0.1, insufficient_float: 0.1 }),
	...of("bulk_transfer", { ...calls, ...lostAnswers, partial_bulk: 0.4, insufficient_float: 0.1 }),
	...ofEvents(["finalize_transfer", "resend_otp"], { ...calls, ...lostAnswers }),
	...ofEvents(["create_plan", "create_subscription", "create_page"], calls),
	...ofEvents(["disable_subscription", "enable_subscription"], calls),
	...ofEvents(["verify_transfer", "balance", "list_settlements", "list_settlement_transactions"], {
		...{ maintenance: 0.1, http_500_after_commit: 0.05 },
	}),
	...ofEvents(["list_transactions", "list_disputes", "fetch_dispute"], {
		...{ maintenance: 0.05, http_500_after_commit: 0.05 },
	}),
	...ofEvents(["transfer.success", "transfer.failed", "transfer.reversed"], {
		...{ ...repeated, ...ofForgers, drop: 0.2 },
	}),
	...ofEvents(["refund.pending", "refund.processing", "refund.processed"], { ...repeated, drop: 0.2 }),
	...ofEvents(["refund.failed", "refund.needs-attention"], { ...repeated, drop: 0.2 }),
	...ofEvents(["subscription.create", "subscription.not_renew", "subscription.disable"], {
		...{ ...repeated, drop: 0.2 },
	}),
	...ofEvents(["invoice.create", "invoice.update", "invoice.payment_failed"], { ...repeated, drop: 0.2 }),
	...ofEvents(["charge.dispute.create", "charge.dispute.remind", "charge.dispute.resolve"], {
		...{ ...repeated, ...ofForgers, drop: 0.2 },
	}),
	...of("settle", { settlement_fee_error: 0.5 }),
];

const cards = [
	...cardsOut,
	...of("initialize", { delay: 0.1, drop: 0.05, maintenance: 0.05, quota: 0.05 }),
	...of("initialize", { http_500_after_commit: 0.1, reset_after_commit: 0.1, callback_before_ack: 0.1 }),
	...of("verify", { delay: 0.1, drop: 0.1, maintenance: 0.1, http_500_after_commit: 0.1 }),
	...of("charge.success", { drop: 0.2, delay: 0.2, reorder: 0.2, duplicate: 0.2, replay: 0.2 }),
	...of("charge.success", { type_drift: 0.2, mutate_amount: 0.1 }),
	...of("charge.success", { forge_unsigned: 0.1, forge_signature: 0.1 }),
	...of("checkout", { callback_before_ack: 0.3 }),
];

/** Money that leaves shortcodes, and questions about it. */
const mobileMoneyOut = [
	...["payout", "business", "reversal"].flatMap((operation) =>
		of(operation, {
			...{ ...order, ...forged, ...answers, spike_arrest: 0.05, maintenance: 0.05, type_drift: 0.2 },
			...{ drop: 0.2, late_after_timeout: 0.1, insufficient_float: 0.1, mutate_amount: 0.05 },
		}),
	),
	...["status", "balance"].flatMap((operation) =>
		of(operation, { ...order, drop: 0.1, type_drift: 0.2, maintenance: 0.05 }),
	),
	...of("standing_order", { ...order, ...answers, drop: 0.1, type_drift: 0.2, maintenance: 0.05 }),
	...of("validation", { drop: 0.2, delay: 0.2 }),
];

/**
 * One after the other: answers of prompts are lost; their callbacks are lost or wrong; both, while the
 * gateway also confirms each payment. If answer and callback are lost and no confirmation comes, only a
 * statement of the gateway shows the payment.
 */
export const rounds: readonly Faults[] = [
	{
		mobileMoney: [
			...of("push", {
				...order,
				...forged,
				...answers,
				...refusals,
				late_after_timeout: 0.2,
				type_drift: 0.2,
			}),
			...queries,
			...mobileMoneyOut,
		],
		cards: [...late, ...cards],
	},
	{
		mobileMoney: [
			...of("push", { ...order, ...forged, ...refusals, ...callbacks, callback_before_ack: 0.2 }),
			...queries,
			...mobileMoneyOut,
		],
		cards: [...late, ...cards],
	},
	{
		mobileMoney: [
			...of("push", { ...order, ...forged, ...answers, ...refusals, ...callbacks, double_route: 1 }),
			...of("confirmation", { ...order, ...forged, type_drift: 0.2 }),
			...queries,
			...mobileMoneyOut,
		],
		cards: [...late, ...cards],
	},
];

/**
 * One short round: everything at once, but for answers that come after the time limit. Because of forged
 * callbacks the gateway is asked once a second.
 */
export const shortRounds: readonly Faults[] = rounds.slice(-1).map(({ mobileMoney }) => ({
	// What is made once is made: a standing order, a page, a plan and a subscription.
	mobileMoney: mobileMoney
		.filter(({ operation }) => operation !== "standing_order")
		.map((rule) => (rule.fault.startsWith("forge_") ? { ...rule, probability: 0.03 } : rule)),
	cards: cards.filter(({ operation }) => !operation.startsWith("create_")),
}));

export const none: Faults = { mobileMoney: [], cards: [] };
