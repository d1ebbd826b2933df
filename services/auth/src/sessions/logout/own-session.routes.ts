import { callerOf, type Route, readCursor, route, signedIn, timeForm } from "@lango/chassis";
import { FailureBody, OwnSession, Page } from "@lango/contracts";
import Type from "typebox";
import { ById, Paged, pageSizeDefault } from "../../administrators/administration.ts";
import { originOf } from "../../audit/origin.ts";
import type { Dependencies } from "../../dependencies.ts";
import { requireSession } from "../grant/require-session.ts";
import { listUserSessions } from "../grant/user-session.store.ts";
import { endOtherSessions, endOwnSession } from "./end-own-session.ts";

const refusals = { 401: FailureBody, 403: FailureBody };

/** A user's own sessions: the list, and their end. */
export const ownSessionRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/auth/sessions",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Lists the caller's sessions in every tenant, newest first",
			querystring: Paged,
			response: { 200: Page(OwnSession), 400: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			reply.header("cache-control", "no-store");
			const { id: currentId, userId } = await requireSession(dependencies, callerOf(request));
			const { cursor, limit = pageSizeDefault } = request.query;
			const now = dependencies.now();
			return listUserSessions(dependencies.db, {
				userId,
				currentId,
				now,
				after: readCursor(cursor, timeForm),
				limit,
			});
		},
	}),
	route({
		method: "DELETE",
		url: "/api/v1/auth/sessions",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Ends all sessions and browser sessions of the caller except the current one",
			response: { 204: Type.Null(), ...refusals },
		},
		handler: async (request, reply) => {
			const { id, userId, membershipState } = await requireSession(dependencies, callerOf(request));
			const ending = { userId, tenantId: membershipState.tenant.id, exceptSessionId: id };
			await endOtherSessions(dependencies, ending, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
	route({
		method: "DELETE",
		url: "/api/v1/auth/sessions/:id",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Ends a session of the caller, or its browser session",
			params: ById,
			querystring: Type.Object({
				browser: Type.Optional(
					Type.Boolean({ description: "Ends the browser session and all its client sessions" }),
				),
			}),
			response: { 204: Type.Null(), 400: FailureBody, 404: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const { userId } = await requireSession(dependencies, callerOf(request));
			const ending = { userId, sessionId: request.params.id, isBrowser: request.query.browser === true };
			await endOwnSession(dependencies, ending, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];
