/** The operations that a fault can be chosen for. The last two are calls of the gateway to its client. */
export const operations = [
	"token",
	"push",
	"push_query",
	"register_urls",
	"simulate",
	"payout",
	"business",
	"status",
	"reversal",
	"balance",
	"standing_order",
	"qr",
	"validation",
	"confirmation",
] as const;
export type OperationName = (typeof operations)[number];

/** Faults of a call. The first four happen before it has an effect. */
const callFaults = [
	"maintenance",
	"spike_arrest",
	"quota",
	"token_invalidate",
	"http_500_after_commit",
	"reset_after_commit",
	"callback_before_ack",
	"insufficient_float",
] as const;

/** Faults of a callback. */
const callbackFaults = [
	"drop",
	"delay",
	"duplicate",
	"reorder",
	"late_after_timeout",
	"type_drift",
	"mutate_amount",
	"wrong_phone",
	"forge_no_token",
	"forge_wrong_token",
	"forge_replay",
	"double_route",
] as const;

/** What the sandbox can do wrong; the README explains each. */
export const faults = [...callFaults, ...callbackFaults] as const;
export type FaultName = (typeof faults)[number];
