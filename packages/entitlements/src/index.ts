export { EntitlementsUnavailable } from "./ask.ts";
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
	type Entitlements,
	type EntitlementsOptions,
	type Question,
} from "./entitlements.ts";
