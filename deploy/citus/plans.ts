/**
 * Where a function runs that another node or a service calls. `alone`: as the only statement of its
 * transaction it runs where the tenant that its parameter `p_tenant` names has its rows, in one round trip.
 * `always`: also inside a transaction; then each of its statements must be about this tenant and not join a
 * table of all tenants. `never`: where it is called.
 */
export type Delegation = "always" | "alone" | "never";

/** How the tables and functions of one service are spread over the nodes. */
export type Plan = {
	/** Tables that every node has a copy of. They refer to each other and to no distributed table. */
	reference: readonly string[];
	/** Tables of tenants that stay on the coordinator. */
	local?: readonly string[];
	/**
	 * Foreign keys that are removed: of those with only one distributed table, and of those between two tables
	 * that every node has. A write of such a table locks the whole of it and then, in an order of its own, the
	 * tables that it refers to, so that transactions deadlock.
	 */
	unenforced?: readonly string[];
	/** Functions that every node needs. */
	functions: Readonly<Record<string, Delegation>>;
};

/**
 * What every domain service has. Every other table with `tenant_id` in its key is distributed by it. Any
 * other table stays on the coordinator: events, jobs, keys, the ledger.
 */
const domain: Plan = {
	reference: ["tenants", "permissions", "system_roles", "system_role_permissions", "platform_config"],
	functions: {
		grants_of: "never",
		outlets_of: "never",
		has_role_of_right: "never",
		give_first_role: "never",
		know_user: "alone",
		find_user: "alone",
	},
};

/** The services that can run on a cluster. */
export const plans: Readonly<Record<string, Plan>> = {
	ordering: domain,
	hospital: domain,
	inventory: domain,
	marketflow: domain,
	projects: domain,
	logistics: domain,
	pos: {
		...domain,
		functions: { ...domain.functions, failures_after: "never", is_terminal_session_current: "alone" },
	},
	subscriptions: {
		reference: [
			"bundles",
			"features",
			"plans",
			"plan_versions",
			"plan_version_retirements",
			"add_ons",
			"add_on_versions",
			"add_on_version_retirements",
		],
		functions: {
			count_usage: "never",
			bill_overage: "never",
			find_consumption: "never",
			read_subscription: "alone",
			report_usage: "alone",
			consume_usage: "alone",
			release_usage: "alone",
			report_overage: "alone",
		},
	},
	notifications: {
		reference: [
			...domain.reference,
			"platform_suppressions",
			"platform_preferences",
			"platform_limits",
			"erased_people",
		],
		local: [
			"templates",
			"template_versions",
			"template_contents",
			"providers",
			"triggers",
			"trigger_switches",
			"trigger_runs",
			"trigger_messages",
			"digest_windows",
			"digest_items",
		],
		unenforced: ["messages__version_fkey", "messages__platform_version_fkey", "digest_windows__user_fkey"],
		functions: {
			...domain.functions,
			list_suppressed: "always",
			people_of_deliveries: "always",
			count_new_recipients: "never",
			end_of_quiet_hours: "never",
			is_resting: "never",
			is_replaced: "never",
			wake_dispatchers: "never",
			record_message: "always",
			admit_message: "always",
			claim_lane: "always",
			note_deliveries: "always",
			settle_deliveries: "always",
			suppress_addresses: "always",
			record_limit_reached: "always",
			lock_reputation: "always",
		},
	},
	treasury: {
		reference: [...domain.reference, "gateway_profiles"],
		local: ["callback_tokens", "halts"],
		functions: {
			...domain.functions,
			payout_period: "never",
			give_receipt: "always",
			remove_unverified_receipts: "always",
		},
	},
	auth: {
		reference: [
			"tenants",
			"users",
			"clients",
			"browser_sessions",
			"credentials",
			"last_devices",
			"one_time_links",
			"tenant_slugs",
		],
		unenforced: [
			"users__primary_tenant_id_fkey",
			"credentials__user_id_fkey",
			"one_time_links__user_id_fkey",
			"last_devices__user_id_fkey",
			"browser_sessions__user_id_fkey",
		],
		functions: {
			is_hq_user: "never",
			membership_state_of: "always",
			record_audit: "always",
			revoke_session: "always",
			end_sessions: "always",
			erase_user_in: "always",
			find_session: "alone",
			live_session_outlet: "alone",
			is_live_refresh_token: "alone",
			rotate_refresh_token: "alone",
		},
	},
};
