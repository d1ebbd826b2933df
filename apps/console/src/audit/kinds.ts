/** The kinds of actions, by the first words of their codes. */
export const kinds = {
	signIns: ["session", "sessions", "browser", "password", "email", "pin"],
	people: ["user", "member", "invitation", "join_request", "role", "person", "contact_point", "rider"],
	organisation: ["tenant", "outlet", "terminal", "config", "preference_defaults"],
	plan: ["plan", "change", "subscription", "payment", "overrides", "time", "bill", "billing_method"],
	money: [
		...["intent", "receipt", "refund", "dispute", "payout", "payouts", "payout_config", "recipient"],
		...["shortcode", "standing_order", "card_subscription", "gateway", "halt", "account", "adjustment"],
		...["exception", "reconciliation", "statement", "inbox"],
	],
	messages: [
		...["message", "delivery", "digest", "template", "trigger", "suppression", "address", "provider"],
		...["credit", "credit_pack", "limits", "redrive", "reputation"],
	],
	programs: ["api_key", "client", "key", "keys"],
	platform: [
		...["access", "platform", "events", "refused_event", "dead_job", "dead_letter"],
		...["clock", "sandbox", "plan_version", "add_on", "add_on_version"],
	],
} as const;

export type AuditKind = keyof typeof kinds;

/** The first words of the actions of a kind, as `about` of an audit log; undefined for another word. */
export function aboutOf(kind: string | undefined): string | undefined {
	return kind !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind as AuditKind].join() : undefined;
}
