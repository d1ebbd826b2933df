/** The nouns of the treasury, and the actions that each knows (identity text §2.4). */
export const permissions = {
	payments: ["add", "view", "view_own", "change", "change_own", "manage"],
	receipts: ["view", "manage"],
	refunds: ["add", "view", "manage"],
	disputes: ["view", "change"],
	payouts: ["add", "view", "manage"],
	recipients: ["add", "view", "delete"],
	standing_orders: ["add", "view", "manage"],
	card_plans: ["add", "view", "manage"],
	payment_pages: ["add", "view"],
	statements: ["view"],
	gateways: ["view", "manage"],
	billing: ["view", "manage"],
} as const;

/** What each role may do. */
export const roles = {
	finance_admin: ["treasury.*"],
	treasury_operator: [
		"treasury.payments.*",
		"treasury.receipts.*",
		"treasury.refunds.add",
		"treasury.refunds.view",
		"treasury.disputes.view",
		"treasury.payouts.add",
		"treasury.payouts.view",
		"treasury.recipients.view",
		"treasury.standing_orders.view",
		"treasury.card_plans.view",
		"treasury.payment_pages.view",
		"treasury.statements.view",
	],
	treasury_viewer: ["treasury.payments.view_own", "treasury.payments.change_own"],
};
