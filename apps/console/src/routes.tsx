import { createRoute, createRouter, retainSearchParams } from "@tanstack/react-router";
import { CallbackPage } from "./gate/callback-page.tsx";
import { lazyPage as lazy } from "./gate/lazy-page.ts";
import { RefusedPage } from "./gate/refused-page.tsx";
import { parseSearch, readSearch, stringifySearch } from "./gate/search.ts";
import { OwnSubscribePage, StartPage } from "./gate/start-page.tsx";
import { NotFoundPage } from "./pages/errors/not-found-page.tsx";
import { LoadingPage } from "./pages/loading/loading-page.tsx";
import { UnauthorizedPage } from "./pages/unauthorized/unauthorized-page.tsx";
import { platformPages } from "./platform-routes.tsx";
import { anywhere, inTenant, page, root, tenant, tenantPage } from "./route-parents.tsx";

/** The pages on the way through a payment keep the page to continue with. */
const retainNext = retainSearchParams<Partial<Record<string, string>>>(["next"]);

/**
 * The pages of a tenant, below `/{slug}`. `staticData` declares the requirements of a page (PageData). Lazy
 * pages are loaded when they are opened. The navigation is in layout/navigation.ts.
 */
const tenantPages = [
	tenantPage(
		"/",
		lazy(() => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
	),
	tenantPage(
		"/auth/select-outlet",
		lazy(() => import("./pages/select-outlet/session-outlet-page.tsx"), "SessionOutletPage"),
		{ shows: ["session_outlet"], isPlain: true },
	),
	tenantPage(
		"/select-outlet",
		lazy(() => import("./pages/select-outlet/select-outlet-page.tsx"), "SelectOutletPage"),
		{ requires: { needsOutlet: false, ignoresSubscription: true }, isPlain: true },
	),
	tenantPage(
		"/signed-in-again",
		lazy(() => import("./gate/signed-in-again-page.tsx"), "SignedInAgainPage"),
		{ ...anywhere, isPlain: true },
	),
	tenantPage(
		"/pending",
		lazy(() => import("./pages/pending/pending-page.tsx"), "PendingPage"),
		{ shows: ["pending"], isPlain: true },
	),
	createRoute({
		...inTenant,
		path: "/subscribe",
		staticData: anywhere,
		validateSearch: readSearch("payment"),
		search: { middlewares: [retainNext] },
		component: lazy(() => import("./pages/subscribe/subscribe-page.tsx"), "SubscribePage"),
	}),
	createRoute({
		...inTenant,
		path: "/subscribe/change",
		staticData: anywhere,
		validateSearch: readSearch("plan", "add", "drop"),
		search: { middlewares: [retainNext] },
		component: lazy(() => import("./pages/subscribe/change/change-page.tsx"), "ChangePage"),
	}),
	tenantPage(
		"/profile",
		lazy(() => import("./pages/profile/profile-page.tsx"), "ProfilePage"),
		{ requires: { needsOutlet: false, ignoresSubscription: true }, shows: ["on", "profile"] },
	),
	tenantPage(
		"/inbox",
		lazy(() => import("./pages/inbox/inbox-page.tsx"), "InboxPage"),
		anywhere,
	),
	tenantPage(
		"/sessions",
		lazy(() => import("./pages/sessions/sessions-page.tsx"), "SessionsPage"),
		anywhere,
	),
	tenantPage(
		"/people",
		lazy(() => import("./pages/people/members-page.tsx"), "MembersPage"),
		{ requires: { permission: "auth.users.view" } },
	),
	tenantPage(
		"/people/invitations",
		lazy(() => import("./pages/people/invitations-page.tsx"), "InvitationsPage"),
		{ requires: { permission: "auth.users.view" } },
	),
	tenantPage(
		"/people/waiting",
		lazy(() => import("./pages/people/join-requests-page.tsx"), "JoinRequestsPage"),
		{ requires: { permission: "auth.users.view" } },
	),
	tenantPage(
		"/outlets",
		lazy(() => import("./pages/outlets/outlets-page.tsx"), "OutletsPage"),
		{ requires: { permission: "auth.outlets.view" } },
	),
	tenantPage(
		"/settings",
		lazy(() => import("./pages/settings/settings-page.tsx"), "SettingsPage"),
		{ requires: { needsOutlet: false, permission: "auth.settings.change" } },
	),
	tenantPage(
		"/access",
		lazy(() => import("./pages/access/services-page.tsx"), "ServicesPage"),
	),
	tenantPage(
		"/access/$service",
		lazy(() => import("./pages/access/roles/roles-page.tsx"), "RolesPage"),
	),
	tenantPage(
		"/access/$service/people",
		lazy(() => import("./pages/access/service-people-page.tsx"), "ServicePeoplePage"),
	),
	tenantPage(
		"/access/$service/keys",
		lazy(() => import("./pages/api-keys/api-keys-page.tsx"), "ApiKeysPage"),
	),
	tenantPage(
		"/access/$service/roles/$role",
		lazy(() => import("./pages/access/roles/role-page.tsx"), "RolePage"),
	),
	tenantPage(
		"/riders",
		lazy(() => import("./pages/riders/riders-page.tsx"), "RidersPage"),
		{ requires: { permission: "riders:read" } },
	),
	tenantPage(
		"/audit",
		lazy(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
		{ requires: { permission: "auth.users.change" } },
	),
	tenantPage(
		"/messages",
		lazy(() => import("./pages/messages/messages-page.tsx"), "MessagesPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/messages/statistics",
		lazy(() => import("./pages/messages/statistics-page.tsx"), "StatisticsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/messages/redrives",
		lazy(() => import("./pages/messages/again/redrives-page.tsx"), "RedrivesPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/messages/$messageId",
		lazy(() => import("./pages/messages/message-page.tsx"), "MessagePage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/messages/$messageId/deliveries/$deliveryId",
		lazy(() => import("./pages/messages/delivery-page.tsx"), "DeliveryPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/suppressions",
		lazy(() => import("./pages/suppressions/suppressions-page.tsx"), "SuppressionsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/templates",
		lazy(() => import("./pages/templates/templates-page.tsx"), "TemplatesPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/templates/new",
		lazy(() => import("./pages/templates/new-template-page.tsx"), "NewTemplatePage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/templates/$group/$name",
		lazy(() => import("./pages/templates/template-page.tsx"), "TemplatePage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/triggers",
		lazy(() => import("./pages/triggers/triggers-page.tsx"), "TriggersPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/triggers/new",
		lazy(() => import("./pages/triggers/new-trigger-page.tsx"), "NewTriggerPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/triggers/digests",
		lazy(() => import("./pages/triggers/digests-page.tsx"), "DigestsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/triggers/$id",
		lazy(() => import("./pages/triggers/trigger-page.tsx"), "TriggerPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/triggers/$id/change",
		lazy(() => import("./pages/triggers/change-trigger-page.tsx"), "ChangeTriggerPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/providers",
		lazy(() => import("./pages/providers/providers-page.tsx"), "ProvidersPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/providers/$id",
		lazy(() => import("./pages/providers/provider-page.tsx"), "ProviderPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/limits",
		lazy(() => import("./pages/limits/limits-page.tsx"), "LimitsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/credits",
		lazy(() => import("./pages/credits/credits-page.tsx"), "CreditsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/preference-defaults",
		lazy(() => import("./pages/preferences/defaults-page.tsx"), "PreferenceDefaultsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/preferences",
		lazy(() => import("./pages/preferences/preferences-page.tsx"), "PreferencesPage"),
		anywhere,
	),
	tenantPage(
		"/payment-settings",
		lazy(() => import("./pages/payment-settings/payment-settings-page.tsx"), "PaymentSettingsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/payments",
		lazy(() => import("./pages/intents/intents-page.tsx"), "IntentsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/payments/$id",
		lazy(() => import("./pages/intents/intent-page.tsx"), "IntentPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/receipts",
		lazy(() => import("./pages/receipts/receipts-page.tsx"), "ReceiptsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/receipts/$id",
		lazy(() => import("./pages/receipts/receipt-page.tsx"), "ReceiptPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/payouts",
		lazy(() => import("./pages/payouts/payouts-page.tsx"), "PayoutsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/payouts/bulk/$id",
		lazy(() => import("./pages/payouts/bulk/bulk-page.tsx"), "BulkPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/payouts/bulk",
		lazy(() => import("./pages/payouts/bulk/new-bulk-page.tsx"), "NewBulkPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/payouts/$id",
		lazy(() => import("./pages/payouts/payout-page.tsx"), "PayoutPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/refunds",
		lazy(() => import("./pages/refunds/refunds-page.tsx"), "RefundsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/disputes",
		lazy(() => import("./pages/disputes/disputes-page.tsx"), "DisputesPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/disputes/$id",
		lazy(() => import("./pages/disputes/dispute-page.tsx"), "DisputePage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/bills",
		lazy(() => import("./pages/bills/bills-page.tsx"), "BillsPage"),
		anywhere,
	),
	tenantPage(
		"/bills/$operation",
		lazy(() => import("./pages/bills/bill-page.tsx"), "BillPage"),
		anywhere,
	),
	tenantPage(
		"/statement",
		lazy(() => import("./pages/statement/statement-page.tsx"), "StatementPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/recipients",
		lazy(() => import("./pages/recipients/recipients-page.tsx"), "RecipientsPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/payment-pages",
		lazy(() => import("./pages/payment-pages/payment-pages-page.tsx"), "PaymentPagesPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/standing-orders",
		lazy(() => import("./pages/standing-orders/standing-orders-page.tsx"), "StandingOrdersPage"),
		{ requires: { needsOutlet: false } },
	),
	tenantPage(
		"/card-plans",
		lazy(() => import("./pages/card-plans/card-plans-page.tsx"), "CardPlansPage"),
		{ requires: { needsOutlet: false } },
	),
	...platformPages,
	// Any other address below a tenant keeps the navigation.
	createRoute({ ...inTenant, path: "/$", staticData: anywhere, component: NotFoundPage }),
] as const;

/** Pages outside of a tenant. */
const otherPages = [
	createRoute({ ...page, path: "/", component: StartPage }),
	createRoute({ ...page, path: "/auth/callback", component: CallbackPage }),
	createRoute({ ...page, path: "/$slug/auth/callback", component: CallbackPage }),
	createRoute({ ...page, path: "/unauthorized", component: UnauthorizedPage }),
	createRoute({ ...page, path: "/subscribe", component: OwnSubscribePage }),
] as const;

/** Creates the router of the console. */
export const consoleRouter = () =>
	createRouter({
		parseSearch,
		stringifySearch,
		defaultPendingComponent: LoadingPage,
		defaultErrorComponent: RefusedPage,
		defaultNotFoundComponent: NotFoundPage,
		routeTree: root.addChildren([...otherPages, tenant.addChildren(tenantPages)]),
	});

declare module "@tanstack/react-router" {
	interface Register {
		router: ReturnType<typeof consoleRouter>;
	}
}
