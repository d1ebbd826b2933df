import { canonical, type Route, readCursor, route, tenantOf, timeForm } from "@lango/chassis";
import { AuditEntry, FailureBody, Page } from "@lango/contracts";
import { BySlug, Paged, pageSizeDefault, refusals } from "../administrators/administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { listAllAudit, listTenantAudit } from "./audit.store.ts";

/** Who did what, when and from where. */
export const auditRoutes = ({ db }: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/audit",
		access: canonical("auth.users.change"),
		schema: {
			summary: "What was changed in a tenant, the latest first",
			params: BySlug,
			querystring: Paged,
			response: { 200: Page(AuditEntry), 400: FailureBody, ...refusals },
		},
		handler: (request) => {
			const { cursor, limit = pageSizeDefault } = request.query;
			return listTenantAudit(db, {
				tenantId: tenantOf(request).id,
				after: readCursor(cursor, timeForm),
				limit,
			});
		},
	}),
	route({
		method: "GET",
		url: "/api/v1/admin/audit",
		access: canonical("auth.tenants.manage"),
		schema: {
			summary: "What was changed anywhere, the latest first; for the platform owner",
			querystring: Paged,
			response: { 200: Page(AuditEntry), 400: FailureBody, ...refusals },
		},
		handler: (request) => {
			const { cursor, limit = pageSizeDefault } = request.query;
			return listAllAudit(db, { after: readCursor(cursor, timeForm), limit });
		},
	}),
];
