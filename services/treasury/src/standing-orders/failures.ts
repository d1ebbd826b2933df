import { defineFailures } from "@lango/chassis";

/** The failures of standing orders. Codes are public: never rename one. */
export const standingOrderFailures = defineFailures({
	standing_order_not_found: ["not_found", "There is no such standing order."],
	standing_order_closed: ["conflict", "The standing order is stopped, ended or was refused."],
	frequency_unconfirmed: [
		"conflict",
		"The platform owner has not confirmed the gateway's codes of frequencies yet. With a wrong code a payer is charged at another interval.",
	],
});
