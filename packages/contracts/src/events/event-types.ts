import { posPinLocked } from "./access.ts";
import type { EventType } from "./event.ts";
import {
	notificationsAddressFailed,
	notificationsCreditLow,
	notificationsDeliveryChanged,
	notificationsLimitReached,
	notificationsMessageCompleted,
	notificationsProviderDegraded,
	notificationsProviderRecovered,
} from "./notifications.ts";
import {
	authEmailVerificationRequested,
	authInvitationCreated,
	authPasswordResetRequested,
	authSessionRevoked,
	authUserCreated,
	authUserDeleted,
	authUserDisabled,
	authUserLogin,
	authUserUpdated,
} from "./people.ts";
import {
	subscriptionBillingRequested,
	subscriptionEntitlementsChanged,
	subscriptionExpired,
	subscriptionGraceEnded,
	subscriptionLimitWarning,
	subscriptionOverageUnpaid,
	subscriptionTrialEnding,
	treasuryPaymentFailed,
	treasuryPaymentSucceeded,
} from "./subscriptions.ts";
import { outletChanged, tenantCreated, tenantDeleted, tenantSuspended, tenantUpdated } from "./tenants.ts";

/** Every event type. The documentation of events is generated from this list. */
export const eventTypes: readonly EventType[] = [
	authUserCreated,
	authUserLogin,
	authSessionRevoked,
	authUserUpdated,
	authUserDisabled,
	authUserDeleted,
	authPasswordResetRequested,
	authEmailVerificationRequested,
	authInvitationCreated,
	tenantCreated,
	tenantUpdated,
	tenantSuspended,
	tenantDeleted,
	outletChanged,
	subscriptionEntitlementsChanged,
	subscriptionTrialEnding,
	subscriptionExpired,
	subscriptionGraceEnded,
	subscriptionLimitWarning,
	subscriptionBillingRequested,
	subscriptionOverageUnpaid,
	treasuryPaymentSucceeded,
	treasuryPaymentFailed,
	posPinLocked,
	notificationsMessageCompleted,
	notificationsDeliveryChanged,
	notificationsAddressFailed,
	notificationsCreditLow,
	notificationsLimitReached,
	notificationsProviderDegraded,
	notificationsProviderRecovered,
];
