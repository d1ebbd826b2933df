import { recordAudit } from "@lango/access";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import { actorOf, originOf } from "../../request/actor.ts";
import { callerOf, callOf, tenantOf } from "../../request/call.ts";
import type { Domain } from "../assembly/domain.ts";

/**
 * Reads a list in the tenant of the request. If the platform owner names no tenant under the platform's own
 * address, the list is of all tenants (spec §4.3). That passes tenant isolation and writes an audit entry.
 * `list` gets the tenant's id, or undefined for all tenants.
 */
export async function listIn<T>(
	{ db, now }: Pick<Domain, "db" | "now">,
	request: FastifyRequest,
	list: (tx: Database, tenantId: string | undefined) => Promise<T>,
): Promise<T> {
	if (callOf(request).isAcrossTenants !== true) {
		const { id } = tenantOf(request);
		return inTenant(db, id, (tx) => list(tx, id));
	}
	await recordAudit(db, {
		tenantId: undefined,
		at: now(),
		actor: actorOf(callerOf(request)),
		action: "access.passed",
		subject: `${request.method} ${request.routeOptions.url}`,
		detail: { passed: ["tenant"] },
		...originOf(request),
	});
	return acrossTenants(db, (tx) => list(tx, undefined));
}
