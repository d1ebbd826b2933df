import type { Database } from "@lango/postgres";
import { hasOutlet } from "@lango/tenancy";
import type { FastifyRequest } from "fastify";
import { outletFor, tenantOf } from "../../request/call.ts";
import { domainFailures } from "./failures.ts";

/**
 * Requires that an outlet exists: throws 404 `outlet_not_found`, with the field that named it, unless the
 * tenant has this outlet in use. Call it inside the tenant, in the transaction that stores the id.
 */
export async function requireOutlet(
	tx: Database,
	{ tenantId, outletId }: { tenantId: string; outletId: string },
	named: { field: string; in: "body" | "headers" },
): Promise<void> {
	if (!(await hasOutlet(tx, tenantId, outletId))) throw domainFailures.outlet_not_found({ fields: named });
}

/**
 * The outlet of a new row if the body names none (`outletFor`). Call it inside the tenant. Throws 404
 * `outlet_not_found` if the tenant has no such outlet in use.
 */
export async function outletIn(tx: Database, request: FastifyRequest): Promise<string | undefined> {
	const outletId = outletFor(request);
	if (outletId === undefined) return undefined;
	const outlet = { tenantId: tenantOf(request).id, outletId };
	await requireOutlet(tx, outlet, { field: "x-outlet-id", in: "headers" });
	return outletId;
}
