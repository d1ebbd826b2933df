import { listAudit } from "@lango/access";
import { Page, ServiceAuditEntry } from "@lango/contracts";
import { permit, type Route, route } from "../../request/route.ts";
import type { Domain } from "../assembly/domain.ts";
import { pageOfAudit, ServiceAuditQuery } from "./audit-page.ts";
import { listIn } from "./list-in.ts";

/** Changes of access and configuration, and requests that passed a check by a special right. */
export const auditRoutes = (domain: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/audit",
		access: permit(`${domain.name}.audit.view`),
		schema: {
			summary: "Lists changes and their actors, newest first; for the platform owner, of all tenants",
			querystring: ServiceAuditQuery,
			response: { 200: Page(ServiceAuditEntry) },
		},
		handler: (request) =>
			pageOfAudit(request.query, (page) =>
				listIn(domain, request, (tx, tenantId) => listAudit(tx, { ...page, tenantId })),
			),
	}),
];
