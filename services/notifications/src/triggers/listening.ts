import { authUserDeleted, authUserDisabled, eventTypes } from "@lango/contracts";

/** The events to which the rules of tenants may listen, by their first words. */
const ofTenants = ["isp.", "custom.", "auth.user.", "subscription.", "treasury.payment."];
/** An erased person gets nothing, and events without a tenant have no rules. */
const never: ReadonlySet<string> = new Set([authUserDeleted.type, authUserDisabled.type]);

/** Whether a tenant's rule may listen to this type of event. */
export const mayTenantListen = (type: string): boolean =>
	!never.has(type) && ofTenants.some((words) => type.startsWith(words));

/** The known types of events to which the rules of tenants may listen, with what they mean. */
export const tenantEventTypes = eventTypes.filter(({ type }) => mayTenantListen(type));
