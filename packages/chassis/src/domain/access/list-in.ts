import { recordAudit } from "@lango/access";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import { actorOf, originOf } from "../../request/actor.ts";
import { callerOf, callOf, tenantOf } from "../../request/call.ts";
import type { Domain } from "../assembly/domain.ts";

/**
 * Reads a list in the tenant of the request. If the platform owner names no tenant under the platform's own
 * address, the list is of all tenants (spec §4.3). That passes tenant isolation and writes an audit entry.
 */
export async function listIn<T>(
	{ db, now }: Pick<Domain, "db" | "now">,
	request: FastifyRequest,
	list: (tx: Database) => Promise<T>,
): Promise<T> {
	if (callOf(request).isAcrossTenants !== true) return inTenant(db, tenantOf(request).id, list);
	await recordAudit(db, {
		tenantId: undefined,
		at: now(),
		actor: actorOf(callerOf(request)),
		action: "access.passed",
		subject: `${request.method} ${request.routeOptions.url}`,
		detail: { passed: ["tenant"] },
		...originOf(request),
	});
	return acrossTenants(db, list);
}
