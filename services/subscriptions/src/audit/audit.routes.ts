import { permit, type Route, route } from "@lango/chassis";
import { FailureBody, Page, Uuid } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type from "typebox";
import { platformRight } from "../rights.ts";
import { listAudit } from "./audit.store.ts";

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

/** Lists the audit log for the platform owner. */
export const auditRoutes = ({ db }: { db: Database }): readonly Route[] => [
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
					limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
					cursor: Type.Optional(
						Type.String({ pattern: "^[0-9]{1,18}$", description: "next_cursor of the previous page" }),
					),
				},
				{ additionalProperties: false },
			),
			response: { 200: Page(Line), "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: async (request) => {
			const { tenant_id: tenantId, limit, cursor } = request.query;
			const before = cursor === undefined ? undefined : BigInt(cursor);
			const found = await listAudit(db, { tenantId, before, limit: limit + 1 });
			const items = found.slice(0, limit);
			const last = found.length > limit ? items.at(-1) : undefined;
			return {
				items: items.map(({ id, occurred_at, actor_kind, actor_id, ...line }) => ({
					...line,
					id: String(id),
					at: occurred_at.toISOString(),
					actor: { kind: actor_kind, id: actor_id },
				})),
				next_cursor: last === undefined ? null : String(last.id),
			};
		},
	}),
];
