import { type Actor, recordAudit } from "@lango/access";
import type { Database } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import { type Call, type Caller, callOf, type SpecialPass } from "../../call.ts";
import type { Step } from "../../route.ts";

/** Notes that the caller passed a check by a special right. */
export function notePass(call: Call, what: SpecialPass): void {
	call.passed ??= [];
	if (!call.passed.includes(what)) call.passed.push(what);
}

/** The last step: whoever came this far by a special right leaves an audit row, before the route does anything (spec §5.9). */
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

/** The caller as the audit log names it. */
export function actorOf(caller: Caller): Actor {
	if (caller.kind === "user") return { kind: "user", id: caller.userId };
	return caller.kind === "client"
		? { kind: "client", id: caller.clientId }
		: { kind: "key", id: caller.keyId };
}

/** From where, for the audit log. */
export const originOf = ({ id, ip }: FastifyRequest) => ({ requestId: id, address: ip });
