import { recordAudit } from "@lango/access";
import type { Database } from "@lango/postgres";
import { actorOf, originOf } from "../../request/actor.ts";
import { type Call, callOf, type SpecialPass } from "../../request/call.ts";
import type { Step } from "../../request/route.ts";

/** Notes that the caller passed a check by a special right. */
export function notePass(call: Call, what: SpecialPass): void {
	call.passed ??= [];
	if (!call.passed.includes(what)) call.passed.push(what);
}

/**
 * The last step: records an audit entry if the caller passed a check by a special right, before the route
 * runs (spec §5.9).
 */
export function recordPassesWith({ db, now }: { db: Database; now: () => Date }): Step {
	return (request) => {
		const { caller, passed, tenant } = callOf(request);
		if (passed === undefined || caller === undefined) return;
		return recordAudit(db, {
			tenantId: tenant?.id,
			at: now(),
			actor: actorOf(caller),
			action: "access.passed",
			subject: `${request.method} ${request.routeOptions.url}`,
			detail: { passed },
			...originOf(request),
		});
	};
}
