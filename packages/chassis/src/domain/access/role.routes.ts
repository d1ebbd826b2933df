import {
	changeRole,
	createRole,
	deleteRole,
	findRole,
	listRoles,
	type Role,
	type RoleChange,
} from "@lango/access";
import { FailureBody, Line, Page, PageQuery, Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { actorOf, originOf } from "../../request/actor.ts";
import { callerOf, tenantOf } from "../../request/call.ts";
import { pageOf, readCursor, textForm, uuidForm } from "../../request/paging.ts";
import { permit, type Route, route } from "../../request/route.ts";
import type { Domain } from "../assembly/domain.ts";
import { listIn } from "./list-in.ts";
import { requireRight } from "./own-rights.ts";
import { notThere, refusing, requireDeclared } from "./refuse.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const RoleCode = Type.String({ pattern: "^[a-z][a-z0-9_-]{0,62}$" });
export const Codes = Type.Array(Type.String({ maxLength: 130 }), { maxItems: 500, uniqueItems: true });
const Description = Line(500);

const ServiceRole = Type.Object({
	id: Type.String({ format: "uuid" }),
	tenant_id: OrNull(Type.String({ format: "uuid" })),
	code: Type.String(),
	is_system_role: Type.Boolean({ description: "It comes with the service and cannot be changed" }),
	description: Type.String(),
	permissions: Type.Array(Type.String()),
	created_at: Type.String({ format: "date-time" }),
});
const ByCode = Type.Object({ code: RoleCode });

/** The roles of a service: system roles, and a tenant's own. */
export const roleRoutes = (domain: Domain): readonly Route[] => [
	...readRoutes(domain),
	...changeRoutes(domain),
];

const readRoutes = (domain: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/roles",
		access: permit(`${domain.name}.roles.view`),
		schema: {
			summary:
				"The roles that can be assigned, with what they grant; for the platform's owner, those of all tenants",
			querystring: Type.Object(PageQuery),
			response: { 200: Page(ServiceRole) },
		},
		handler: async (request) => {
			const { cursor, limit = 50 } = request.query;
			const after = readCursor(cursor, [textForm, uuidForm]);
			const rows = await listIn(domain, request, (tx, tenantId) =>
				listRoles(tx, { tenantId, after, limit: limit + 1 }),
			);
			return pageOf(rows, { limit, toWire, placeOf: ({ code, id }) => [code, id] });
		},
	}),
	route({
		method: "GET",
		url: "/roles/:code",
		access: permit(`${domain.name}.roles.view`),
		schema: { summary: "One role", params: ByCode, response: { 200: ServiceRole } },
		handler: async (request) => {
			const { id } = tenantOf(request);
			const role = await inTenant(domain.db, id, (tx) => findRole(tx, id, request.params.code));
			if (role === undefined) throw notThere("role");
			return toWire(role);
		},
	}),
];

const changeRoutes = (domain: Domain): readonly Route[] => [
	route({
		method: "POST",
		url: "/roles",
		access: permit(`${domain.name}.roles.manage`),
		schema: {
			summary: "Creates a role of the tenant, with permissions that the caller holds in the whole tenant",
			body: Shape({ code: RoleCode, description: Type.Optional(Description), permissions: Codes }),
			response: { 201: ServiceRole, 409: FailureBody },
		},
		handler: async (request, reply) => {
			const { code, ...content } = request.body;
			requireDeclared(domain, content.permissions);
			const role = await refusing(() => createRole(module(domain), changeOf(domain, request, code), content));
			return reply.code(201).send(toWire(role));
		},
	}),
	route({
		method: "PATCH",
		url: "/roles/:code",
		access: permit(`${domain.name}.roles.manage`),
		schema: {
			summary: "Changes a role of the tenant's own; who has it holds the new permissions at once",
			params: ByCode,
			body: Shape({ description: Type.Optional(Description), permissions: Type.Optional(Codes) }),
			response: { 200: ServiceRole, 409: FailureBody },
		},
		handler: async (request) => {
			requireDeclared(domain, request.body.permissions ?? []);
			const change = changeOf(domain, request, request.params.code);
			return toWire(await refusing(() => changeRole(module(domain), change, request.body)));
		},
	}),
	route({
		method: "DELETE",
		url: "/roles/:code",
		access: permit(`${domain.name}.roles.manage`),
		schema: {
			summary: "Removes a role of the tenant that is not assigned",
			params: ByCode,
			response: { 204: Type.Null(), 409: FailureBody },
		},
		handler: async (request, reply) => {
			await refusing(() => deleteRole(module(domain), changeOf(domain, request, request.params.code)));
			return reply.code(204).send(null);
		},
	}),
];

const module = ({ db, now, name }: Domain) => ({ db, now, service: name });

/** A role applies in the whole tenant, so a change needs the right in the whole tenant. */
function changeOf(domain: Domain, request: FastifyRequest, code: string): RoleChange {
	return {
		tenantId: tenantOf(request).id,
		code,
		by: actorOf(callerOf(request)),
		may: requireRight(request, `${domain.name}.roles.manage`),
		...originOf(request),
	};
}

function toWire(role: Role): Static<typeof ServiceRole> {
	const { id, code, description, permissions } = role;
	return {
		id,
		code,
		description,
		permissions: [...permissions],
		tenant_id: role.tenantId,
		is_system_role: role.isSystem,
		created_at: role.createdAt.toISOString(),
	};
}
