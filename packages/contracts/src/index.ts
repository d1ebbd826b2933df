export {
	AccessTokenClaims,
	type Action,
	actions,
	type CanonicalPermission,
	canonicalPermissions,
	type GlobalRole,
	globalRoles,
	OutletUseCase,
	outletUseCases,
	permissionsOf,
	rolePermissions,
} from "./access.ts";
export { authUserCreated, authUserLogin, EventEnvelope, type EventType, eventTypes } from "./events.ts";
export { FailureBody, Page, Shape, Slug, Uuid } from "./shape.ts";
export {
	type AccessLevel,
	accessLevels,
	type BillingInterval,
	billingIntervals,
	Plan,
	type Product,
	products,
	Subscription,
	type SubscriptionStatus,
	subscriptionStatuses,
} from "./subscription.ts";
export { PublicOutlet, PublicTenant } from "./tenant.ts";
