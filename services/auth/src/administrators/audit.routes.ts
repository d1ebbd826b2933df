import { canonical, numberForm, type Route, readCursor, route, tenantOf } from "@lango/chassis";
import { AuditEntry, AuditQuery, FailureBody, Page, TenantAuditEntry } from "@lango/contracts";
import Type from "typebox";
import { listAllAudit, listTenantAudit } from "../audit/audit.store.ts";
import type { Dependencies } from "../dependencies.ts";
import { BySlug, Paged, pageSizeDefault, refusals } from "./administration.ts";

/** The routes of the audit log. */
export const auditRoutes = ({ db }: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/audit",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Lists the audit log of a tenant, newest first",
			params: BySlug,
			querystring: Type.Object(AuditQuery),
			response: { 200: Page(TenantAuditEntry), 400: FailureBody, ...refusals },
		},
		handler: (request) => {
			const { cursor, limit = pageSizeDefault, from, to, about, ...narrowed } = request.query;
			return listTenantAudit(db, {
				...narrowed,
				tenantId: tenantOf(request).id,
				about: about?.split(","),
				from: from === undefined ? undefined : new Date(from),
				to: to === undefined ? undefined : new Date(to),
				after: readCursor(cursor, [numberForm, numberForm]),
				limit,
			});
		},
	}),
	route({
		method: "GET",
		url: "/api/v1/admin/audit",
		access: canonical("auth.tenants.manage"),
		schema: {
			summary: "Lists the audit log of the platform, newest first; for the platform owner",
			querystring: Paged,
			response: { 200: Page(AuditEntry), 400: FailureBody, ...refusals },
		},
		handler: (request) => {
			const { cursor, limit = pageSizeDefault } = request.query;
			return listAllAudit(db, { after: readCursor(cursor, [numberForm, numberForm]), limit });
		},
	}),
];
