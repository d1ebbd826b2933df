import { listAudit } from "@lango/access";
import {
	pageBy,
	pageOfAudit,
	permit,
	type Route,
	readKey,
	route,
	ServiceAuditQuery,
	totalOf,
} from "@lango/chassis";
import { FailureBody, Page, ServiceAuditEntry, TotalQuery, Uuid } from "@lango/contracts";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { bigintForm, pageParams } from "../page.ts";
import { auditRight, platformRight } from "../rights.ts";
import { type AuditLine, listAllAudit } from "./audit.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Line = Type.Object({
	id: Type.String(),
	at: Type.String({ format: "date-time" }),
	tenant_id: OrNull(Uuid),
	actor: Type.Object({ kind: Type.String(), id: Type.String() }),
	action: Type.String(),
	subject: Type.String(),
	detail: Type.Record(Type.String(), Type.Unknown()),
	request_id: OrNull(Type.String()),
});

/** Lists the audit log: of a tenant for its administrators, and of all for the platform owner. */
export const auditRoutes = ({ db }: { db: Database }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/audit",
		access: permit(auditRight),
		schema: {
			summary: "List the changes of a subscription and its payments, newest first",
			tags: ["subscription"],
			params: Type.Object({ tenant_id: Uuid }),
			querystring: ServiceAuditQuery,
			response: { 200: Page(ServiceAuditEntry), "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: ({ params, query }) =>
			pageOfAudit(query, (page) =>
				inTenant(db, params.tenant_id, (tx) => listAudit(tx, { ...page, tenantId: params.tenant_id })),
			),
	}),
	route({
		method: "GET",
		url: "/api/v1/admin/audit",
		access: permit(platformRight),
		schema: {
			summary: "List the audit log, latest first, of all tenants or one",
			tags: ["platform"],
			querystring: Type.Object(
				{
					tenant_id: Type.Optional(Uuid),
					...pageParams,
					...TotalQuery,
				},
				{ additionalProperties: false },
			),
			response: { 200: Page(Line), "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: async (request) => {
			const { tenant_id: tenantId, limit, cursor, total: isCounted } = request.query;
			const value = readKey(cursor, bigintForm);
			const before = value === undefined ? undefined : BigInt(value);
			return acrossTenants(db, async (tx) => {
				const found = await listAllAudit(tx, { tenantId, before, max: limit + 1 });
				return {
					...pageBy(found, { limit, toWire, keyOf: ({ id }) => String(id) }),
					...(await totalOf(tx, isCounted, (all, page) =>
						listAllAudit(all, { tenantId, before: undefined, max: page.limit }),
					)),
				};
			});
		},
	}),
];

const toWire = ({ id, occurred_at, actor_kind, actor_id, ...line }: AuditLine) => ({
	...line,
	id: String(id),
	at: occurred_at.toISOString(),
	actor: { kind: actor_kind, id: actor_id },
});
