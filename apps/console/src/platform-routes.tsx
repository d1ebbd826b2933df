import { createRoute } from "@tanstack/react-router";
import { lazyPage as lazy } from "./gate/lazy-page.ts";
import { readSearch } from "./gate/search.ts";
import { forPlatform, inTenant, platformPage } from "./route-parents.tsx";

/** The pages of the platform owner, below the address of their own tenant. */
export const platformPages = [
	platformPage(
		"/platform/tenants",
		lazy(() => import("./pages/tenants/tenants-page.tsx"), "TenantsPage"),
	),
	platformPage(
		"/platform/tenants/$tenantId",
		lazy(() => import("./pages/tenants/tenant-page.tsx"), "TenantPage"),
	),
	platformPage(
		"/platform/tenants/$tenantId/entitlements",
		lazy(() => import("./pages/tenants/entitlements-page.tsx"), "EntitlementsPage"),
	),
	platformPage(
		"/platform/plans",
		lazy(() => import("./pages/plans/plans-page.tsx"), "PlansPage"),
	),
	platformPage(
		"/platform/plans/$code",
		lazy(() => import("./pages/plans/item-page.tsx"), "PlanPage"),
	),
	platformPage(
		"/platform/plans/$code/next",
		lazy(() => import("./pages/plans/next-version-page.tsx"), "NextPlanPage"),
	),
	platformPage(
		"/platform/add-ons/$code",
		lazy(() => import("./pages/plans/item-page.tsx"), "AddOnPage"),
	),
	platformPage(
		"/platform/add-ons/$code/next",
		lazy(() => import("./pages/plans/next-version-page.tsx"), "NextAddOnPage"),
	),
	createRoute({
		...inTenant,
		staticData: forPlatform,
		path: "/platform/failures",
		validateSearch: readSearch("service"),
		component: lazy(() => import("./pages/failures/failures-page.tsx"), "FailuresPage"),
	}),
	platformPage(
		"/platform/clients",
		lazy(() => import("./pages/clients/clients-page.tsx"), "ClientsPage"),
	),
	platformPage(
		"/platform/clients/$clientId",
		lazy(() => import("./pages/clients/client-page.tsx"), "ClientPage"),
	),
	platformPage(
		"/platform/new-client",
		lazy(() => import("./pages/clients/new-client-page.tsx"), "NewClientPage"),
	),
	platformPage(
		"/platform/templates",
		lazy(() => import("./pages/templates/templates-page.tsx"), "PlatformTemplatesPage"),
	),
	platformPage(
		"/platform/templates/new",
		lazy(() => import("./pages/templates/new-template-page.tsx"), "NewPlatformTemplatePage"),
	),
	platformPage(
		"/platform/templates/$group/$name",
		lazy(() => import("./pages/templates/template-page.tsx"), "PlatformTemplatePage"),
	),
	platformPage(
		"/platform/providers",
		lazy(() => import("./pages/providers/providers-page.tsx"), "PlatformProvidersPage"),
	),
	platformPage(
		"/platform/providers/$id",
		lazy(() => import("./pages/providers/provider-page.tsx"), "PlatformProviderPage"),
	),
	platformPage(
		"/platform/deliverability",
		lazy(() => import("./pages/deliverability/deliverability-page.tsx"), "DeliverabilityPage"),
	),
	platformPage(
		"/platform/deliverability/$tenant",
		lazy(() => import("./pages/deliverability/tenant-page.tsx"), "TenantDeliverabilityPage"),
	),
	platformPage(
		"/platform/credits",
		lazy(() => import("./pages/credits/owner/platform-credits-page.tsx"), "PlatformCreditsPage"),
	),
	platformPage(
		"/platform/gateways",
		lazy(() => import("./pages/gateways/gateways-page.tsx"), "GatewaysPage"),
	),
	platformPage(
		"/platform/webhooks",
		lazy(() => import("./pages/webhooks/webhooks-page.tsx"), "WebhooksPage"),
	),
	platformPage(
		"/platform/webhooks/$id",
		lazy(() => import("./pages/webhooks/webhook-page.tsx"), "WebhookPage"),
	),
	platformPage(
		"/platform/exceptions",
		lazy(() => import("./pages/exceptions/exceptions-page.tsx"), "ExceptionsPage"),
	),
	platformPage(
		"/platform/gateway-money",
		lazy(() => import("./pages/gateway-money/gateway-money-page.tsx"), "GatewayMoneyPage"),
	),
	platformPage(
		"/platform/unresolved",
		lazy(() => import("./pages/unresolved/unresolved-page.tsx"), "UnresolvedPage"),
	),
	platformPage(
		"/platform/disputes",
		lazy(() => import("./pages/disputes/platform-disputes-page.tsx"), "PlatformDisputesPage"),
	),
	platformPage(
		"/platform/settlements",
		lazy(() => import("./pages/settlements/settlements-page.tsx"), "SettlementsPage"),
	),
	platformPage(
		"/platform/settlements/$id",
		lazy(() => import("./pages/settlements/settlement-page.tsx"), "SettlementPage"),
	),
	platformPage(
		"/platform/reconciliation",
		lazy(() => import("./pages/reconciliation/reconciliation-page.tsx"), "ReconciliationPage"),
	),
	platformPage(
		"/platform/journals",
		lazy(() => import("./pages/journals/journals-page.tsx"), "JournalsPage"),
	),
	platformPage(
		"/platform/adjustments",
		lazy(() => import("./pages/adjustments/adjustments-page.tsx"), "AdjustmentsPage"),
	),
	platformPage(
		"/platform/halts",
		lazy(() => import("./pages/halts/halts-page.tsx"), "HaltsPage"),
	),
	platformPage(
		"/platform/keys",
		lazy(() => import("./pages/keys/keys-page.tsx"), "KeysPage"),
	),
] as const;
