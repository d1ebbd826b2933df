export {
	AccessTokenClaims,
	type Action,
	actions,
	apiScope,
	type CanonicalPermission,
	canonicalPermissions,
	type GlobalRole,
	globalRoles,
	OutletScope,
	OutletUseCase,
	outletScopes,
	outletUseCases,
	permissionsOf,
	rolePermissions,
	tokenOutletsMax,
} from "./access.ts";
export { type AuditAction, auditActions } from "./audit-action.ts";
export { accessChanged, posPinLocked, roleChanged } from "./events/access.ts";
export { EventEnvelope, type EventType } from "./events/event.ts";
export { eventTypes } from "./events/event-types.ts";
export {
	ispCreditLow,
	ispPaymentReceived,
	ispSubscriptionActivated,
	ispSubscriptionExpiring,
	ispSubscriptionRenewed,
} from "./events/isp.ts";
export {
	notificationsAddressFailed,
	notificationsBillingRequested,
	notificationsCreditLow,
	notificationsDeliveryChanged,
	notificationsLimitReached,
	notificationsMessageCompleted,
	notificationsProviderDegraded,
	notificationsProviderRecovered,
	notificationsReputationChanged,
} from "./events/notifications.ts";
export {
	authDeviceAdded,
	authEmailVerificationRequested,
	authInvitationCreated,
	authPasswordResetRequested,
	authSessionRevoked,
	authUserCreated,
	authUserDeleted,
	authUserDisabled,
	authUserLogin,
	authUserUpdated,
} from "./events/people.ts";
export {
	subscriptionBillingRequested,
	subscriptionBillingWithdrawn,
	subscriptionEntitlementsChanged,
	subscriptionExpired,
	subscriptionGraceEnded,
	subscriptionLimitWarning,
	subscriptionOverageUnpaid,
	subscriptionTrialEnding,
} from "./events/subscriptions.ts";
export { tenantRepointedOf } from "./events/tenant-repointed.ts";
export {
	outletChanged,
	tenantCreated,
	tenantDeleted,
	tenantSuspended,
	tenantUpdated,
} from "./events/tenants.ts";
export {
	isAskedBy,
	treasuryCardExpiring,
	treasuryCardSubscriptionChanged,
	treasuryDisputeChanged,
	treasuryExceptionRaised,
	treasuryIntentChanged,
	treasuryPaymentFailed,
	treasuryPaymentRequired,
	treasuryPaymentSucceeded,
	treasuryPayoutChanged,
	treasuryReceiptUnallocated,
	treasuryRefundChanged,
	treasuryStandingOrderChanged,
} from "./events/treasury.ts";
export { roleNames } from "./role-names.ts";
export { type KeyPurpose, type KeyReceiver, keyVariable, servicePurposes } from "./service-keys.ts";
export { skeletonOf } from "./skeleton.ts";
export { statementWords } from "./statement-words.ts";
export {
	SubscriptionBilling,
	SubscriptionCheckout,
	SubscriptionPayment,
	SubscriptionQuote,
	TenantAddOn,
	UsageBill,
} from "./subscriptions/billing.ts";
export {
	type AccessLevel,
	AddOn,
	accessLevels,
	type BillingInterval,
	billingIntervals,
	Plan,
	type Product,
	products,
	Subscription,
	type SubscriptionStatus,
	subscriptionStatuses,
} from "./subscriptions/subscription.ts";
export {
	Consumption,
	FeatureAvailability,
	Limits,
	MetricCode,
	NewConsumption,
	NewOverage,
	OverageReported,
	Usage,
	UsageEvent,
	UsageId,
	UsageReport,
	UsageReported,
	type UsageWindow,
	usageWindows,
} from "./subscriptions/usage.ts";
export { TemplateFinding, type TemplateFindingCode, templateFindings } from "./template-findings.ts";
export {
	AdminClient,
	AdminKey,
	AdminTenant,
	AdminUser,
	Approval,
	AuditEntry,
	AuditQuery,
	ClientChange,
	ClientId,
	Invitation,
	InvitationPreview,
	InvitationStatus,
	JoinPolicy,
	JoinRequest,
	joinPolicies,
	Member,
	MemberOutlets,
	MemberRoles,
	NewClient,
	NewInvitation,
	NewOutlet,
	OutletChange,
	OwnSession,
	PageQuery,
	PeopleQuery,
	Recipient,
	Role,
	ServiceAuditEntry,
	TenantAuditEntry,
	TenantSettings,
	TenantSettingsChange,
	TotalQuery,
} from "./tenants/administration.ts";
export { type OutletSetting, outletSettings } from "./tenants/outlet-settings.ts";
export {
	Joined,
	NewPassword,
	OneTimeValue,
	Organization,
	Registration,
	requestedRoles,
} from "./tenants/registration.ts";
export { Outlet, OutletIsolation, outletIsolations, PublicOutlet, PublicTenant } from "./tenants/tenant.ts";
export { type Language, languages, type Theme, themes } from "./values/language.ts";
export { Email, Line, Name } from "./values/name.ts";
export { FailureBody, Page, Shape, Slug, Uuid } from "./values/shape.ts";
export { isEmail, isName } from "./values/text.ts";
