import { type Entitlements, EntitlementsUnavailable } from "@lango/entitlements";
import type { FastifyRequest } from "fastify";
import { type Caller, callOf } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { rulesOf, type Step } from "../../request/route.ts";
import { notePass } from "./record-passes.ts";

/**
 * The gate of mutations (spec §1.4, §7): refuses with 403 `subscription_inactive` and `upgrade: true` on a
 * positive answer only, with 503 `entitlements_unavailable` if the answer is unavailable. Superusers and
 * the platform's own keys, which belong to no tenant, pass; a route may be exempt and says why.
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
	return (
		rulesOf(request)?.subscription !== undefined || (caller.kind === "key" && caller.tenantId === undefined)
	);
}
