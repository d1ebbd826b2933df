import type { FastifyRequest } from "fastify";
import type { Call } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { isCustomerOf, isWithin } from "../../request/outlet-scope.ts";
import type { RouteRules } from "../../request/route.ts";

type Settling = {
	call: Call;
	rules: RouteRules;
	/** What the caller holds. */
	held: () => readonly string[];
};

/**
 * Settles which outlets an admitted request is about. A customer of a bound route is limited by ownership,
 * whatever the customer's scope is, and may name any outlet. Throws 403 `outlet_forbidden` when X-Outlet-ID
 * names an outlet outside of another caller's scope; on tenant-wide routes the header of a person without
 * outlets is ignored.
 */
export function settleOutlets(request: FastifyRequest, { call, rules, held }: Settling): void {
	const { caller, outletId, scope = "all" } = call;
	const isPerson = caller?.kind === "user" && caller.isIssuedHere !== true;
	const isTenantWide = rules.outlets !== undefined;
	if (isPerson && !isTenantWide && isCustomerOf(held(), rules)) {
		call.isCustomer = true;
		call.isUnbound = true;
		return;
	}
	if (scope === "all") return;
	if (outletId !== undefined && !isWithin(scope, outletId)) {
		if (!isPerson || !isTenantWide || scope.length > 0) throw chassisFailures.outlet_forbidden();
		delete call.outletId;
	}
	if (isPerson && isRead(request) && call.tenant?.outletIsolation === "open") call.isUnbound = true;
}

const isRead = ({ method }: FastifyRequest) => method === "GET" || method === "HEAD";
