export { EntitlementsUnavailable } from "./ask.ts";
export { UsageRefused } from "./call-usage.ts";
export {
	type Entitlement,
	freshestEntitlement,
	freshSeconds,
	hasFeature,
	hasProduct,
	type Known,
	limitOf,
	mayMutate,
	unlimited,
} from "./entitlement.ts";
export {
	createEntitlements,
	type EntitlementQuery,
	type Entitlements,
	type EntitlementsOptions,
} from "./entitlements.ts";
export type { DroppedReports } from "./send-reports.ts";
export { createUsageClient, type UsageClient, type UsageOptions } from "./usage.ts";
