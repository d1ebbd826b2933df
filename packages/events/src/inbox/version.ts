import type { EventEnvelope } from "@lango/contracts";

/** The entity version in a state event, with the key it is compared by. */
export type Version = { family: string; subject: string; tenant: string; version: number };

/**
 * Returns the version of a state event; events with a lower version than the applied one are ignored.
 * Versions are compared among types that differ in their last word only (auth.user.updated,
 * auth.user.disabled), for the same subject and tenant, because a person has a separate state per tenant.
 * Events without a tenant count for all of them.
 */
export function versionOf({ type, subject, tenantid = "", data }: EventEnvelope): Version | undefined {
	if (typeof data !== "object" || data === null || !("version" in data)) return undefined;
	const { version } = data;
	if (typeof version !== "number" || !Number.isSafeInteger(version)) return undefined;
	return { family: type.slice(0, type.lastIndexOf(".")), subject, tenant: tenantid, version };
}
