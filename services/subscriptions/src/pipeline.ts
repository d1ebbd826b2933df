import { findSettingKey } from "@lango/access";
import {
	addressOf,
	authenticateWith,
	type Caller,
	callerOf,
	chassisFailures,
	guarded,
	keyRequired,
	type Pipeline,
	rulesOf,
	type Step,
	type TenantSlots,
	takeTenantSlot,
} from "@lango/chassis";
import { isUuid, type Pool } from "@lango/postgres";
import type { Verifier } from "@lango/tokens";
import { cacheApiKeys } from "./cached-keys.ts";
import { hasRight, keyPurposeFor } from "./rights.ts";
import type { RoleChanges } from "./role-changes.ts";

export type PipelineParts = {
	db: Pool;
	verifier: Verifier;
	platformOwnerSlug: string;
	now: () => Date;
	isOutdated: RoleChanges["isOutdated"];
	tenantSlots: TenantSlots;
};

/** The steps of every request: authenticate, limit, and check access to the tenant. */
export function pipeline(parts: PipelineParts): Pipeline {
	const { db, verifier, platformOwnerSlug, now, isOutdated, tenantSlots } = parts;
	const first = db.lane("priority");
	const authenticate = authenticateWith({
		verifier,
		platformOwnerSlug,
		// Other services authenticate with an API key.
		findApiKey: cacheApiKeys((id) => findSettingKey(first, { id, now: now() }), now),
	});
	return [
		[authenticate, guarded],
		[takeTenantSlot(tenantSlots), guarded],
		[refuseOutdatedToken(isOutdated), guarded],
		[admitToTenant, guarded],
	];
}

/** Refuses a token with a role that was revoked after it was issued. A new token has the current roles. */
const refuseOutdatedToken =
	(isOutdated: RoleChanges["isOutdated"]): Step =>
	(request) => {
		const caller = callerOf(request);
		if (caller.kind === "user" && isOutdated(caller.claims))
			throw chassisFailures.token_invalid({
				cause: new Error("a role was revoked after the token was issued"),
			});
	};

/**
 * Another tenant is answered with not found, whether or not it exists. A caller that can see the tenant but
 * lacks the right is forbidden. A route without a tenant requires a right.
 */
const admitToTenant: Step = (request) => {
	if (rulesOf(request)?.access.kind === "platform_owner") return;
	const caller = callerOf(request);
	const access = rulesOf(request)?.access;
	const { tenant_id: tenantId } = request.params as { tenant_id?: string };
	if (tenantId !== undefined) admitTo(tenantId, caller);
	if (access?.kind === "permit" && access.permissions.some((right) => hasRight(caller, right))) return;
	const purpose = access?.kind === "permit" ? keyPurposeFor(access.permissions) : undefined;
	if (purpose !== undefined && caller.kind === "key") throw keyRequired(purpose);
	if (access?.kind !== "signed_in" || tenantId === undefined) throw chassisFailures.forbidden();
	if (caller.kind === "key" && !mayRead(caller.permissions, addressOf(request)))
		throw keyRequired("snapshot.read");
};

/** A snapshot key can read everything of a tenant, a usage key only usage. */
const mayRead = (permissions: readonly string[], address: string | undefined): boolean =>
	permissions.includes("snapshot.read") ||
	(permissions.includes("usage.report") && address?.includes("/usage") === true);

function admitTo(tenantId: string, caller: Caller): void {
	if (!isUuid(tenantId)) {
		const fields = { field: "tenant_id", in: "params" };
		throw chassisFailures.invalid_input({ message: "tenant_id must be a UUID.", fields });
	}
	if (!maySee(caller, tenantId.toLowerCase())) throw chassisFailures.tenant_not_found();
	const status = caller.kind === "user" ? caller.claims.user_status : undefined;
	if (status !== undefined && status !== "active") throw chassisFailures.account_pending();
}

/**
 * API keys (valid for all tenants), members of the tenant, and superusers of the platform owner. A client's
 * own token is not a member.
 */
function maySee(caller: Caller, tenantId: string): boolean {
	if (caller.kind === "client") return false;
	if (caller.kind === "key")
		return caller.tenantId === undefined || caller.tenantId.toLowerCase() === tenantId;
	return caller.isPlatformOwner || caller.claims.tenant_id?.toLowerCase() === tenantId;
}
