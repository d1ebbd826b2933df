import type { Channel } from "../channel.ts";
import type { Condition, MapValue, Trigger } from "./trigger.ts";

/**
 * A rule of the platform. Its name is its event type and its template, once per pair. Its constants are words
 * that the template writes in the language of the message.
 */
export type PlatformTrigger = Pick<
	Trigger,
	"template" | "channels" | "sender" | "recipients" | "conditions" | "map"
> & {
	name: string;
	eventType: string;
};

type Table = Omit<PlatformTrigger, "name" | "conditions"> & {
	conditions?: readonly Condition[];
	name?: string;
};

/** `event.*` for every variable that has the name of a member of the event. */
const from = (root: string, names: string): Record<string, MapValue> =>
	Object.fromEntries(names.split(" ").map((name) => [name, { from: `${root}.${name}` }]));

const page = (path: string): MapValue => ({ page: path });
const ofRecipient = { name: { from: "recipient.name" } } as const;
const ofTenant = { tenant_name: { from: "tenant.name" } } as const;
const toAdministrators = {
	channels: ["email", "in_app"] as readonly Channel[],
	sender: "platform",
	recipients: ["role:admin"],
} as const;
const aboutPlan = {
	...ofRecipient,
	...ofTenant,
	plan: { from: "event.plan" },
	action_link: page("/subscribe"),
};

const toCustomer = { sender: "tenant", recipients: ["event.customer"] } as const;
const customer = { customer_name: { from: "event.customer.name" } } as const;

const lowCredit = {
	...toAdministrators,
	template: "isp/low_credit_alert",
	channels: ["email", "push", "in_app"],
	map: { ...ofTenant, ...from("event", "balance threshold") },
} as const;

const approval = {
	...toAdministrators,
	template: "shared/approval_required",
	map: {
		...ofRecipient,
		item_type: { value: "membership" },
		item_id: { from: "event.email" },
		requester: { from: "event.name" },
		action_link: page("/people/waiting"),
	},
} as const;

/** The statuses of a person who waits for an administrator: riders, and members. */
const waiting = ["pending", "pending_review"];
const isWaiting: Condition = { path: "event.status", op: "in", value: waiting };

const reputationAlert = (
	state: "warned" | "paused",
	[title, severity]: [title: string, severity: string],
): Table[] =>
	[
		{ to: "role:admin", link: "/messages" },
		{ to: "platform", link: "/platform/deliverability" },
	].map(({ to, link }) => ({
		...toAdministrators,
		recipients: [to],
		name: `notifications.reputation.changed ${state} ${to}`,
		eventType: "notifications.reputation.changed",
		template: "shared/system_alert",
		conditions: [{ path: "event.state", op: "eq", value: state }],
		map: {
			...ofRecipient,
			alert_title: { value: title },
			alert_message: { from: "event.tenant_name" },
			severity: { value: severity },
			action_link: page(link),
		},
	}));
const reputationAlerts = [
	...reputationAlert("warned", ["reputation_warned", "warning"]),
	...reputationAlert("paused", ["reputation_paused", "critical"]),
];

const table: readonly Table[] = [
	{
		...toCustomer,
		eventType: "isp.subscription.activated",
		template: "isp/subscription_credentials",
		channels: ["sms", "whatsapp", "email"],
		map: { ...customer, ...from("event", "username password package_name package_type expiry_at") },
	},
	{
		...toCustomer,
		eventType: "isp.payment.received",
		template: "isp/payment_received",
		channels: ["sms", "email"],
		map: { ...customer, ...from("event", "amount currency package_name expiry_at") },
	},
	{
		...toCustomer,
		eventType: "isp.subscription.renewed",
		template: "isp/subscription_renewal",
		channels: ["sms", "whatsapp", "email"],
		map: { ...customer, ...from("event", "package_name package_type expiry_at") },
	},
	{
		...toCustomer,
		eventType: "isp.subscription.expiring",
		template: "isp/isp_subscription_expiring",
		channels: ["sms", "whatsapp", "email"],
		map: { ...customer, ...from("event", "package_name expiry_at days_remaining") },
	},
	{ ...lowCredit, eventType: "isp.credit.low" },
	{ ...lowCredit, eventType: "notifications.credit.low" },
	{
		...toAdministrators,
		eventType: "notifications.limit.reached",
		template: "shared/system_alert",
		map: {
			...ofRecipient,
			alert_title: { value: "daily_limit_reached" },
			alert_message: { from: "event.limit" },
			severity: { value: "warning" },
			action_link: page("/subscribe"),
		},
	},
	{
		...toAdministrators,
		recipients: ["platform"],
		eventType: "notifications.provider.degraded",
		template: "shared/system_alert",
		map: {
			...ofRecipient,
			alert_title: { value: "provider_degraded" },
			alert_message: { from: "event.name" },
			severity: { value: "warning" },
			action_link: page("/platform/providers"),
		},
	},
	...reputationAlerts,
	{
		...approval,
		eventType: "auth.user.created",
		conditions: [isWaiting, { path: "before.status", op: "exists", value: false }],
	},
	{
		...approval,
		eventType: "auth.user.updated",
		conditions: [
			isWaiting,
			...waiting.map((value): Condition => ({ path: "before.status", op: "ne", value })),
		],
	},
	{
		eventType: "auth.user.updated",
		template: "sign_on/access_approved",
		channels: ["email", "push", "in_app"],
		sender: "platform",
		recipients: ["event.user"],
		conditions: [
			{ path: "event.status", op: "eq", value: "active" },
			{ path: "before.status", op: "in", value: waiting },
		],
		map: { ...ofRecipient, ...ofTenant, action_link: page("") },
	},
	{
		eventType: "auth.device.added",
		template: "sign_on/new_device",
		channels: ["email", "in_app"],
		sender: "platform",
		recipients: ["event.user"],
		map: {
			...ofRecipient,
			device: { from: "event.device" },
			signed_in_at: { from: "event.at" },
			action_link: page("/sessions"),
		},
	},
	{
		...toAdministrators,
		eventType: "subscription.trial_ending",
		template: "subscription/trial_ending",
		map: { ...aboutPlan, date: { from: "event.trial_end" } },
	},
	{
		...toAdministrators,
		eventType: "subscription.expired",
		template: "subscription/expired",
		map: { ...aboutPlan, date: { from: "event.expired_at" } },
	},
	{
		...toAdministrators,
		eventType: "subscription.grace_ended",
		template: "subscription/read_only",
		map: { ...aboutPlan, date: { from: "event.ended_at" } },
	},
	{
		...toAdministrators,
		eventType: "subscription.limit_warning",
		template: "subscription/limit_warning",
		map: {
			...ofRecipient,
			...ofTenant,
			...from("event", "used limit_value percent"),
			limit_name: { from: "event.limit" },
			action_link: page("/subscribe"),
		},
	},
	{
		...toAdministrators,
		eventType: "subscription.overage_unpaid",
		template: "subscription/overage_unpaid",
		conditions: [{ path: "event.failure", op: "exists", value: true }],
		map: {
			...ofRecipient,
			...ofTenant,
			amount: { money: ["event.amount_minor", "event.currency"] },
			date: { from: "event.period_ends_at" },
			reason: { from: "event.failure" },
			action_link: page("/subscribe"),
		},
	},
	{
		...toAdministrators,
		name: "subscription.overage_unpaid subscription/overage_unpaid without a reason",
		eventType: "subscription.overage_unpaid",
		template: "subscription/overage_unpaid",
		conditions: [{ path: "event.failure", op: "exists", value: false }],
		map: {
			...ofRecipient,
			...ofTenant,
			amount: { money: ["event.amount_minor", "event.currency"] },
			date: { from: "event.period_ends_at" },
			reason: { value: "unknown" },
			action_link: page("/subscribe"),
		},
	},
	{
		...toAdministrators,
		eventType: "treasury.payment.succeeded",
		template: "payment/received",
		map: {
			...ofRecipient,
			...ofTenant,
			amount: { money: ["event.amount_minor", "event.currency"] },
			date: { from: "event.paid_at" },
			action_link: page("/subscribe"),
		},
	},
	{
		...toAdministrators,
		eventType: "treasury.payment.failed",
		template: "payment/failed",
		// Events of older releases say no amount.
		conditions: [{ path: "event.amount_minor", op: "exists", value: true }],
		map: {
			...ofRecipient,
			...ofTenant,
			amount: { money: ["event.amount_minor", "event.currency"] },
			date: { from: "time" },
			reason: { from: "event.reason" },
			action_link: page("/subscribe"),
		},
	},
	{
		...toAdministrators,
		eventType: "treasury.payment.required",
		template: "payment/required",
		map: {
			...ofRecipient,
			...ofTenant,
			amount: { money: ["event.amount_minor", "event.currency"] },
			date: { from: "event.expires_at" },
			reason: { from: "event.because" },
			action_link: { from: "event.pay_url" },
		},
	},
	{
		...toAdministrators,
		eventType: "treasury.card.expiring",
		template: "payment/card_expiring",
		conditions: [{ path: "event.payee", op: "eq", value: "platform" }],
		map: {
			...ofRecipient,
			...ofTenant,
			...from("event", "brand last4"),
			date: { from: "event.expires_on" },
			action_link: page("/bills"),
		},
	},
	{
		...toAdministrators,
		eventType: "treasury.standing_order.changed",
		template: "payment/standing_order_outdated",
		conditions: [
			{ path: "event.payee", op: "eq", value: "platform" },
			{ path: "event.needs_replacement", op: "eq", value: true },
			// Later changes of the same order do not say it.
			{ path: "event.replacement_minor", op: "exists", value: true },
		],
		map: {
			...ofRecipient,
			...ofTenant,
			amount: { money: ["event.amount_minor", "event.currency"] },
			new_amount: { money: ["event.replacement_minor", "event.currency"] },
			action_link: page("/bills"),
		},
	},
];

/** The rules of the platform (design: the templates that an event triggers). */
export const platformTriggers: readonly PlatformTrigger[] = table.map(
	({ conditions = [], name, ...rule }) => ({
		...rule,
		conditions,
		name: name ?? `${rule.eventType} ${rule.template}`,
	}),
);
