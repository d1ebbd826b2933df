import { events } from "../gateway.ts";

/**
 * The calls of §4.4, and six more: the list of refunds, the lines of a settlement, two for one-time
 * passwords, and two about disputes.
 */
const operations = [
	"initialize",
	"verify",
	"list_transactions",
	"refund",
	"list_refunds",
	"list_disputes",
	"fetch_dispute",
	"create_recipient",
	"list_banks",
	"transfer",
	"bulk_transfer",
	"verify_transfer",
	"finalize_transfer",
	"resend_otp",
	"list_settlements",
	"list_settlement_transactions",
	"balance",
	"create_plan",
	"create_subscription",
	"disable_subscription",
	"enable_subscription",
	"create_page",
] as const;
export type Operation = (typeof operations)[number];

/** Faults of a call, before and after its effect. */
export const callFaults = {
	before: ["delay", "drop", "maintenance", "quota"],
	after: ["late_after_timeout", "http_500_after_commit", "reset_after_commit", "callback_before_ack"],
} as const;

/** What rules can name: a call, an event, or `checkout` and `settle`. */
export const faultWords = {
	operations: [...operations, ...events, "checkout", "settle"],
	faults: [
		...callFaults.before,
		...callFaults.after,
		"duplicate",
		"reorder",
		"type_drift",
		"mutate_amount",
		"forge_unsigned",
		"forge_signature",
		"replay",
		"otp_required",
		"insufficient_float",
		"partial_bulk",
		"settlement_fee_error",
	],
};
