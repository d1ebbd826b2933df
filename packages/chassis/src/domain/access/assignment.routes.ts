import { findAssignment, findRole, type ListedAssignment, listAssignments } from "@lango/access";
import { FailureBody, Page, PeopleQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { actorOf, originOf } from "../../request/actor.ts";
import { callerOf, outletsOf, requireInScope, scopeOf, tenantOf } from "../../request/call.ts";
import { filterOf } from "../../request/outlet-scope.ts";
import { pageBy, readKey, uuidForm } from "../../request/paging.ts";
import { permit, type Route, route } from "../../request/route.ts";
import { totalOf } from "../../request/total.store.ts";
import type { Domain } from "../assembly/domain.ts";
import { domainFailures } from "../assembly/failures.ts";
import { listIn } from "./list-in.ts";
import { requireRight, rightsOf } from "./own-rights.ts";
import { endOf, notThere, refusing } from "./refuse.ts";
import { RoleCode } from "./role.routes.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

const Assignment = Type.Object({
	id: Uuid,
	tenant_id: Uuid,
	role: Type.String(),
	user_id: Type.String({ format: "uuid", description: "The person's id at the sign-on service" }),
	email: Type.String(),
	name: Type.String(),
	outlet_id: OrNull(Type.String({ format: "uuid", description: "Null: in the whole tenant" })),
	assigned_by: OrNull(
		Type.String({ description: "Null: the first role, which follows from the person's global roles" }),
	),
	assigned_at: DateTime,
	expires_at: OrNull(DateTime),
});
const ByCode = Type.Object({ code: RoleCode });

/** Lists, assigns and revokes the roles of the service (spec §2.4). */
export const assignmentRoutes = (domain: Domain): readonly Route[] => [
	listRoute(domain),
	assignRoute(domain),
	revokeRoute(domain),
];

const listRoute = (domain: Domain) =>
	route({
		method: "GET",
		url: "/roles/:code/assignments",
		access: permit(`${domain.name}.roles.view`),
		schema: {
			summary:
				"Who has a role now, with X-Outlet-ID those at that outlet; for the platform's owner, in all tenants",
			params: ByCode,
			querystring: Type.Object({ ...PeopleQuery, ...TotalQuery, user_id: Type.Optional(Uuid) }),
			response: { 200: Page(Assignment) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, user_id: subject, q: search, total: isCounted } = request.query;
			const role = request.params.code;
			const asked = { role, subject, search, outlets: outletsOf(request), now: domain.now() };
			const after = readKey(cursor, uuidForm);
			return listIn(domain, request, async (tx, tenantId) => {
				const query = { ...asked, tenantId };
				if ((await findRole(tx, tenantId, role)) === undefined) throw notThere("role");
				const rows = await listAssignments(tx, { ...query, after, limit: limit + 1 });
				return {
					...pageBy(rows, { limit, toWire, keyOf: ({ id }) => id }),
					...(await totalOf(tx, isCounted, (all, page) => listAssignments(all, { ...query, ...page }))),
				};
			});
		},
	});

const assignRoute = (domain: Domain) =>
	route({
		method: "POST",
		url: "/roles/:code/assignments",
		access: permit(`${domain.name}.roles.manage`),
		schema: {
			summary:
				"Assigns a role in place of the first role, in the whole tenant or at one outlet; again, it changes the end",
			params: ByCode,
			body: Shape({
				user_id: Type.String({ format: "uuid", description: "The person's id at the sign-on service" }),
				outlet_id: Type.Optional(OrNull(Uuid)),
				expires_at: Type.Optional(OrNull(DateTime)),
			}),
			response: { 201: Assignment, 409: FailureBody },
		},
		handler: async (request, reply) => {
			const { user_id, outlet_id, expires_at } = request.body;
			const role = request.params.code;
			const tenantId = tenantOf(request).id;
			const outletId = outlet_id?.toLowerCase();
			const detail = detailOf(domain, request, outletId);
			requireInScope(request, outletId ?? null);
			const expiresAt = endOf(expires_at, domain.now());
			const may = rightsOf(request, { outletId, until: expiresAt ?? null });
			const id = await refusing(() =>
				domain.access.assignRole(
					{ tenantId, subject: user_id.toLowerCase(), role, ...(outletId !== undefined && { outletId }) },
					{ ...detail, may, ...(expiresAt !== undefined && { expiresAt }) },
				),
			);
			return reply.code(201).send(toWire(await getAssignment(domain, tenantId, { id, role, outlets: null })));
		},
	});

const revokeRoute = (domain: Domain) =>
	route({
		method: "DELETE",
		url: "/roles/:code/assignments/:id",
		access: permit(`${domain.name}.roles.manage`),
		schema: {
			summary: "Takes an assigned role back; with the last one gone the first role holds again",
			params: Type.Object({ code: RoleCode, id: Uuid }),
			response: { 204: Type.Null(), 409: FailureBody },
		},
		handler: async (request, reply) => {
			const { code: role, id } = request.params;
			const tenantId = tenantOf(request).id;
			const found = await getAssignment(domain, tenantId, {
				id,
				role,
				outlets: filterOf({ scope: scopeOf(request) }),
			});
			const { subject, assignedBy } = found;
			const outletId = found.outletId ?? undefined;
			const detail = detailOf(domain, request, outletId);
			if (assignedBy === null) throw domainFailures.first_role();
			const isRevoked = await refusing(() =>
				domain.access.revokeRole(
					{ tenantId, subject, role, ...(outletId !== undefined && { outletId }) },
					detail,
				),
			);
			if (!isRevoked) throw notThere("assignment");
			return reply.code(204).send(null);
		},
	});

/** The caller and their rights in this scope: an administrator of one outlet assigns at that outlet only. */
function detailOf({ name }: Domain, request: FastifyRequest, outletId: string | undefined) {
	const may = requireRight(request, `${name}.roles.manage`, outletId);
	return { by: actorOf(callerOf(request)), may, ...originOf(request) };
}

async function getAssignment(
	{ db }: Domain,
	tenantId: string,
	key: Omit<Parameters<typeof findAssignment>[1], "tenantId">,
): Promise<ListedAssignment> {
	const found = await inTenant(db, tenantId, (tx) => findAssignment(tx, { ...key, tenantId }));
	if (found === undefined) throw notThere("assignment");
	return found;
}

function toWire(assignment: ListedAssignment): Static<typeof Assignment> {
	const { id, role, email, name, tenantId, subject, outletId, assignedBy, assignedAt, expiresAt } =
		assignment;
	return {
		id,
		role,
		email,
		name,
		tenant_id: tenantId,
		user_id: subject,
		outlet_id: outletId,
		assigned_by: assignedBy,
		assigned_at: assignedAt.toISOString(),
		expires_at: expiresAt?.toISOString() ?? null,
	};
}
