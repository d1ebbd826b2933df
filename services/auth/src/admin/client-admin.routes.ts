import { canonical, type Route, readCursor, route, timeForm, totalOf } from "@lango/chassis";
import {
	AdminClient,
	ClientChange,
	ClientId,
	FailureBody,
	NewClient,
	Page,
	TotalQuery,
} from "@lango/contracts";
import Type from "typebox";
import { Paged, pageSizeDefault, refusals } from "../administrators/administration.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { changeClient, registerClient, removeClient } from "./change-client.ts";
import { findAdminClient, listClients } from "./client-admin.store.ts";

const ByClient = Type.Object({ client_id: ClientId });
const ClientsQuery = Type.Object({
	...Paged.properties,
	...TotalQuery,
	q: Type.Optional(Type.String({ maxLength: 100, description: "A part of the client_id or the name" })),
});
const WithSecret = Type.Object({
	...AdminClient.properties,
	client_secret: Type.Optional(Type.String({ description: "Shown only in this response; stored as a hash" })),
});
const access = canonical("auth.clients.manage");

const lossesOfClients =
	"If the client loses first_party or lango.api, its sessions end. Other scopes that it loses are missing from its next tokens.";

/** OAuth clients registered while the platform runs (spec §2.7, §4.1). */
export const clientAdminRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/admin/clients",
		access,
		schema: {
			summary: "Registers an OAuth client",
			body: NewClient,
			response: { 201: WithSecret, 400: FailureBody, 409: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const origin = originOf(request, dependencies.now());
			const client = await registerClient(dependencies, request.body, origin);
			return reply.code(201).header("cache-control", "no-store").send(client);
		},
	}),
	listing(dependencies),
	route({
		method: "GET",
		url: "/api/v1/admin/clients/:client_id",
		access,
		schema: {
			summary: "Returns an OAuth client",
			params: ByClient,
			response: { 200: AdminClient, ...refusals },
		},
		handler: async ({ params }) => {
			const client = await findAdminClient(dependencies.db, params.client_id);
			if (client === undefined) throw failures.client_not_found();
			return client;
		},
	}),
	route({
		method: "PATCH",
		url: "/api/v1/admin/clients/:client_id",
		access,
		schema: {
			summary: "Changes an OAuth client or rotates its secret",
			description: lossesOfClients,
			params: ByClient,
			body: ClientChange,
			response: { 200: WithSecret, 400: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const changing = { clientId: request.params.client_id, change: request.body };
			const client = await changeClient(dependencies, changing, originOf(request, dependencies.now()));
			return reply.header("cache-control", "no-store").send(client);
		},
	}),
	route({
		method: "DELETE",
		url: "/api/v1/admin/clients/:client_id",
		access,
		schema: {
			summary: "Removes an OAuth client and ends its sessions",
			params: ByClient,
			response: { 204: Type.Null(), 409: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			await removeClient(dependencies, request.params.client_id, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];

const listing = (dependencies: Dependencies): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/clients",
		access,
		schema: {
			summary: "Lists the OAuth clients in the order of their registration",
			querystring: ClientsQuery,
			response: { 200: Page(AdminClient), 400: FailureBody, ...refusals },
		},
		handler: async ({ query: { cursor, limit = pageSizeDefault, total, q: search } }) => {
			const { db } = dependencies;
			return {
				...(await listClients(db, { search, after: readCursor(cursor, timeForm), limit })),
				...(await totalOf(db, total, (all, page) => listClients(all, { search, ...page }))),
			};
		},
	});
