import { findSettingKey } from "@lango/access";
import {
	addressOf,
	authenticateWith,
	type Caller,
	callerOf,
	chassisFailures,
	guarded,
	type Pipeline,
	rulesOf,
	type Step,
	type TenantSlots,
	takeTenantSlot,
} from "@lango/chassis";
import type { Pool } from "@lango/postgres";
import type { Verifier } from "@lango/tokens";
import { cacheApiKeys } from "./cached-keys.ts";
import { hasRight } from "./rights.ts";
import type { RoleChanges } from "./role-changes.ts";

export type PipelineParts = {
	db: Pool;
	verifier: Verifier;
	platformOwnerSlug: string;
	now: () => Date;
	isOutdated: RoleChanges["isOutdated"];
	tenantSlots: TenantSlots;
};

/** What every request goes through: who is asking, and may they see the tenant of the address. */
export function pipeline(parts: PipelineParts): Pipeline {
	const { db, verifier, platformOwnerSlug, now, isOutdated, tenantSlots } = parts;
	const first = db.lane("priority");
	const authenticate = authenticateWith({
		verifier,
		platformOwnerSlug,
		// The services that ask for snapshots send a key.
		findApiKey: cacheApiKeys((id) => findSettingKey(first, { id, now: now() }), now),
	});
	return [
		[authenticate, guarded],
		[takeTenantSlot(tenantSlots), guarded],
		[refuseOutdatedToken(isOutdated), guarded],
		[admitToTenant, guarded],
	];
}

/** A token by which somebody rules who no longer does is refused, and a new one says what holds. */
const refuseOutdatedToken =
	(isOutdated: RoleChanges["isOutdated"]): Step =>
	(request) => {
		const caller = callerOf(request);
		if (caller.kind === "user" && isOutdated(caller.claims))
			throw chassisFailures.token_invalid({ cause: new Error("an event told that a role is gone") });
	};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Another tenant's subscription is not found, whether or not that tenant exists; who may see it and not do what the route
 * does is forbidden. A route without a tenant is for who holds a right.
 */
const admitToTenant: Step = (request) => {
	if (rulesOf(request)?.access.kind === "platform_owner") return;
	const caller = callerOf(request);
	const access = rulesOf(request)?.access;
	const { tenant_id: tenantId } = request.params as { tenant_id?: string };
	if (tenantId !== undefined) admitTo(tenantId, caller);
	if (access?.kind === "permit" && access.permissions.some((right) => hasRight(caller, right))) return;
	if (access?.kind !== "signed_in" || tenantId === undefined) throw chassisFailures.forbidden();
	if (caller.kind === "key" && !mayRead(caller.permissions, addressOf(request)))
		throw chassisFailures.forbidden();
};

/** A key for snapshots reads all of a tenant; one for usage reads what it reports. */
const mayRead = (permissions: readonly string[], address: string | undefined): boolean =>
	permissions.includes("snapshot.read") ||
	(permissions.includes("usage.report") && address?.includes("/usage") === true);

function admitTo(tenantId: string, caller: Caller): void {
	if (!uuid.test(tenantId)) {
		const fields = { field: "tenant_id", in: "params" };
		throw chassisFailures.invalid_input({ message: "tenant_id is the tenant's UUID.", fields });
	}
	if (!maySee(caller, tenantId.toLowerCase())) throw chassisFailures.tenant_not_found();
	const status = caller.kind === "user" ? caller.claims.user_status : undefined;
	if (status !== undefined && status !== "active") throw chassisFailures.account_pending();
}

/** API keys (good for all tenants), members of the tenant, and superusers of the platform owner; a program's own token is no member. */
function maySee(caller: Caller, tenantId: string): boolean {
	if (caller.kind === "client") return false;
	if (caller.kind === "key")
		return caller.tenantId === undefined || caller.tenantId.toLowerCase() === tenantId;
	return caller.isPlatformOwner || caller.claims.tenant_id?.toLowerCase() === tenantId;
}
