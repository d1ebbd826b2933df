import { hasProduct, mayDo, type Profile } from "@lango/client";
import type { LinkOptions } from "@tanstack/react-router";
import { isGranted } from "../services/service-access.queries.ts";
import type { LayoutTexts } from "./texts.ts";

export type NavigationGroup = "organisation" | "money" | "notifications" | "platform" | "you";

export type NavigationEntry = {
	to: NonNullable<LinkOptions["to"]>;
	label: (texts: LayoutTexts) => string;
	group: NavigationGroup;
	/**
	 * The permission of the sign-on service that the page requires. Default: visible to every user. For a
	 * page of the treasury: who sees the entry until the treasury has said what the user may do there.
	 */
	permission?: string;
	/** The permission of the treasury that the page requires. */
	treasury?: string;
	/** The product of the page. Hidden if the tenant's plan does not include it. */
	product?: string;
	/** Whether only the platform owner sees it. */
	isForPlatform?: boolean;
};

/** The navigation, in display order. A page that another page links to has no entry. */
const navigation: readonly NavigationEntry[] = [
	{ to: "/$slug", label: (texts) => texts.overview, group: "organisation" },
	{
		to: "/$slug/people",
		label: (texts) => texts.people,
		group: "organisation",
		permission: "auth.users.view",
	},
	{
		to: "/$slug/outlets",
		label: (texts) => texts.outlets,
		group: "organisation",
		permission: "auth.outlets.view",
	},
	{
		to: "/$slug/riders",
		label: (texts) => texts.riders,
		group: "organisation",
		permission: "riders:read",
		product: "logistics",
	},
	{
		to: "/$slug/access",
		label: (texts) => texts.access,
		group: "organisation",
		permission: "auth.users.change",
	},
	{
		to: "/$slug/audit",
		label: (texts) => texts.audit,
		group: "organisation",
		permission: "auth.users.change",
	},
	{
		to: "/$slug/settings",
		label: (texts) => texts.settings,
		group: "organisation",
		permission: "auth.settings.change",
	},
	{ to: "/$slug/subscribe", label: (texts) => texts.subscription, group: "organisation" },
	{
		to: "/$slug/bills",
		label: (texts) => texts.bills,
		group: "organisation",
		permission: "auth.settings.change",
	},
	// Every role of the treasury sees payments, at least its own.
	{ to: "/$slug/payments", label: (texts) => texts.payments, group: "money", product: "treasury" },
	{
		to: "/$slug/receipts",
		label: (texts) => texts.receipts,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.receipts.view",
		product: "treasury",
	},
	{
		to: "/$slug/payouts",
		label: (texts) => texts.payouts,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.payouts.view",
		product: "treasury",
	},
	{
		to: "/$slug/refunds",
		label: (texts) => texts.refunds,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.refunds.view",
		product: "treasury",
	},
	{
		to: "/$slug/disputes",
		label: (texts) => texts.disputes,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.disputes.view",
		product: "treasury",
	},
	{
		to: "/$slug/payment-pages",
		label: (texts) => texts.paymentPages,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.payment_pages.view",
		product: "treasury",
	},
	{
		to: "/$slug/standing-orders",
		label: (texts) => texts.standingOrders,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.standing_orders.view",
		product: "treasury",
	},
	{
		to: "/$slug/card-plans",
		label: (texts) => texts.cardPlans,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.card_plans.view",
		product: "treasury",
	},
	{
		to: "/$slug/recipients",
		label: (texts) => texts.recipients,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.recipients.view",
		product: "treasury",
	},
	{
		to: "/$slug/statement",
		label: (texts) => texts.statement,
		group: "money",
		permission: "auth.users.view",
		treasury: "treasury.statements.view",
		product: "treasury",
	},
	{
		to: "/$slug/payment-settings",
		label: (texts) => texts.paymentSettings,
		group: "money",
		permission: "auth.settings.change",
		treasury: "treasury.gateways.view",
		product: "treasury",
	},
	{
		to: "/$slug/messages",
		label: (texts) => texts.messages,
		group: "notifications",
		permission: "auth.users.view",
	},
	{
		to: "/$slug/suppressions",
		label: (texts) => texts.suppressions,
		group: "notifications",
		permission: "auth.users.view",
	},
	{
		to: "/$slug/templates",
		label: (texts) => texts.templates,
		group: "notifications",
		permission: "auth.users.change",
		product: "notifications",
	},
	{
		to: "/$slug/triggers",
		label: (texts) => texts.triggers,
		group: "notifications",
		permission: "auth.users.view",
		product: "notifications",
	},
	{
		to: "/$slug/providers",
		label: (texts) => texts.providers,
		group: "notifications",
		permission: "auth.users.change",
		product: "notifications",
	},
	{
		to: "/$slug/limits",
		label: (texts) => texts.limits,
		group: "notifications",
		permission: "auth.users.change",
	},
	{
		to: "/$slug/credits",
		label: (texts) => texts.credits,
		group: "notifications",
		permission: "auth.users.change",
	},
	{
		to: "/$slug/preference-defaults",
		label: (texts) => texts.preferenceDefaults,
		group: "notifications",
		permission: "auth.users.change",
	},
	{ to: "/$slug/platform/tenants", label: (texts) => texts.tenants, group: "platform", isForPlatform: true },
	{ to: "/$slug/platform/plans", label: (texts) => texts.plans, group: "platform", isForPlatform: true },
	{ to: "/$slug/platform/clients", label: (texts) => texts.clients, group: "platform", isForPlatform: true },
	{ to: "/$slug/platform/keys", label: (texts) => texts.keys, group: "platform", isForPlatform: true },
	{
		to: "/$slug/platform/gateways",
		label: (texts) => texts.gateways,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/webhooks",
		label: (texts) => texts.webhooks,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/gateway-money",
		label: (texts) => texts.gatewayMoney,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/unresolved",
		label: (texts) => texts.unresolved,
		group: "platform",
		isForPlatform: true,
	},
	{
		// Money of which no organisation is known belongs to the platform owner's own.
		to: "/$slug/receipts",
		label: (texts) => texts.platformReceipts,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/disputes",
		label: (texts) => texts.platformDisputes,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/settlements",
		label: (texts) => texts.settlements,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/reconciliation",
		label: (texts) => texts.reconciliation,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/exceptions",
		label: (texts) => texts.exceptions,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/adjustments",
		label: (texts) => texts.adjustments,
		group: "platform",
		isForPlatform: true,
	},
	{ to: "/$slug/platform/halts", label: (texts) => texts.halts, group: "platform", isForPlatform: true },
	{
		to: "/$slug/platform/failures",
		label: (texts) => texts.failures,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/templates",
		label: (texts) => texts.platformTemplates,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/providers",
		label: (texts) => texts.platformProviders,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/deliverability",
		label: (texts) => texts.deliverability,
		group: "platform",
		isForPlatform: true,
	},
	{
		to: "/$slug/platform/credits",
		label: (texts) => texts.platformCredits,
		group: "platform",
		isForPlatform: true,
	},
	{ to: "/$slug/inbox", label: (texts) => texts.inbox, group: "you" },
	{ to: "/$slug/preferences", label: (texts) => texts.preferences, group: "you" },
	{ to: "/$slug/profile", label: (texts) => texts.profile, group: "you" },
	{ to: "/$slug/sessions", label: (texts) => texts.sessions, group: "you" },
];

/** What the user may do: at the sign-on service, and in the treasury once that has answered. */
export type Authority = { profile: Profile; inTreasury: ReadonlySet<string> | undefined };

/** Returns the entries of a group that the user may open. */
export function navigationFor(authority: Authority, group: NavigationGroup): readonly NavigationEntry[] {
	const { profile } = authority;
	return navigation.filter(
		(entry) =>
			entry.group === group &&
			isAllowed(entry, authority) &&
			(entry.product === undefined || hasProduct(profile, entry.product)) &&
			(entry.isForPlatform !== true || profile.isPlatformOwner),
	);
}

function isAllowed({ permission, treasury }: NavigationEntry, { profile, inTreasury }: Authority): boolean {
	if (treasury !== undefined && inTreasury !== undefined) return isGranted(inTreasury, treasury);
	return permission === undefined || mayDo(profile, permission);
}
