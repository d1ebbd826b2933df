import type { EventEnvelope } from "@lango/contracts";

/** The version of an entity that an event tells of, and what it is a version of. */
export type Version = { family: string; subject: string; tenant: string; version: number };

/**
 * State events carry the `version` of their entity; one lower than what was applied is ignored. Versions are compared
 * among the types that differ in their last word alone (auth.user.updated, auth.user.disabled), for the same subject, and
 * in the same tenant: a person stands differently in each. What belongs to no tenant counts in all of them.
 */
export function versionOf({ type, subject, tenantid = "", data }: EventEnvelope): Version | undefined {
	if (typeof data !== "object" || data === null || !("version" in data)) return undefined;
	const { version } = data;
	if (typeof version !== "number" || !Number.isSafeInteger(version)) return undefined;
	return { family: type.slice(0, type.lastIndexOf(".")), subject, tenant: tenantid, version };
}
