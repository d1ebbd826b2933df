import { type Entitlements, EntitlementsUnavailable } from "@lango/entitlements";
import type { FastifyRequest } from "fastify";
import { type Caller, callOf } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { rulesOf, type Step } from "../../request/route.ts";
import { notePass } from "./record-passes.ts";

/**
 * The gate of mutations (spec §1.4, §7): 403 `subscription_inactive` with `upgrade: true` only if the
 * tenant is known to have no current subscription, 503 `entitlements_unavailable` if that is unknown.
 * Superusers and the platform's own keys, which belong to no tenant, pass. A route may declare an
 * exemption with a reason.
 */
export function enforceSubscriptionWith(entitlements: Entitlements): Step {
	return async (request) => {
		const call = callOf(request);
		const { caller, tenant } = call;
		if (caller === undefined || tenant === undefined || isExempt(request, caller)) return;
		if (caller.kind === "user" && caller.isSuperuser) {
			notePass(call, "subscription");
			return;
		}
		const claims = caller.kind === "key" ? undefined : caller.claims;
		const isActive = await entitlements.mayMutate({ tenantId: tenant.id, claims }).catch((error) => {
			if (error instanceof EntitlementsUnavailable)
				throw chassisFailures.entitlements_unavailable({ cause: error });
			throw error;
		});
		if (!isActive) throw chassisFailures.subscription_inactive();
	};
}

function isExempt(request: FastifyRequest, caller: Caller): boolean {
	if (rulesOf(request)?.subscription !== undefined) return true;
	return caller.kind === "key" && caller.tenantId === undefined && caller.isGated !== true;
}
