import { FailureBody, Page } from "@lango/contracts";
import { type DeadLetter, listDeadLetters } from "@lango/events";
import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { actorOf, originOf } from "../request/actor.ts";
import { callerOf } from "../request/call.ts";
import { chassisFailures } from "../request/failure.ts";
import { platformOwner, type Route, route } from "../request/route.ts";
import { type FailedWork, type Operator, resolveDeadLetter } from "./failed-work.ts";

const Entry = Type.Object({
	id: Type.String(),
	type: Type.String(),
	event_id: Type.Union([Type.String(), Type.Null()]),
	subject: Type.Union([Type.String(), Type.Null()]),
	reason: Type.String(),
	attempts: Type.Integer(),
	received_at: Type.String({ format: "date-time" }),
	dead_at: Type.String({ format: "date-time" }),
	waiting: Type.Integer({ description: "Later events of the same entity that wait behind it, up to 1,000" }),
	body: Type.String({ description: "The message as text, truncated to 4,000 characters" }),
});

const number = "^[0-9]{1,18}$";
const ById = Type.Object({ id: Type.String({ pattern: number }) });
const exempt = {
	exempt: "the platform owner can handle failed work regardless of the tenant's subscription",
};
const refusals = { 401: FailureBody, 403: FailureBody, 404: FailureBody } as const;

/** The platform owner's routes for events that a service could not apply: list, redrive, discard. */
export const deadLetterRoutes = (parts: FailedWork): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/platform/dead-letters",
		access: platformOwner(),
		schema: {
			summary: "Lists the events that this service could not apply, in order of arrival",
			querystring: Type.Object({
				cursor: Type.Optional(Type.String({ pattern: number })),
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
				type: Type.Optional(
					Type.String({
						minLength: 1,
						maxLength: 200,
						description: "Only events of exactly this type",
					}),
				),
			}),
			response: { 200: Page(Entry), 401: FailureBody, 403: FailureBody },
		},
		handler: async ({ query: { cursor, limit = 50, type } }) => {
			const { items, nextCursor } = await listDeadLetters(parts.db, {
				service: parts.service,
				cursor,
				limit,
				type,
			});
			return { items: items.map(toWire), next_cursor: nextCursor ?? null };
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/platform/dead-letters/:id/redrive",
		access: platformOwner(),
		subscription: exempt,
		schema: {
			summary: "Redrives a dead letter with ten new attempts; the events behind it follow in order",
			params: ById,
			response: { 202: Type.Object({ redriven: Type.Literal(true) }), ...refusals },
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			if (!(await resolveDeadLetter(parts, { id, verb: "redrive" }, operatorOf(request)))) throw notFound();
			request.log.warn({ dead_letter: id }, "dead letter redriven");
			return reply.code(202).send({ redriven: true } as const);
		},
	}),
	route({
		method: "DELETE",
		url: "/api/v1/platform/dead-letters/:id",
		access: platformOwner(),
		subscription: exempt,
		schema: {
			summary: "Discards a dead letter: it is never applied, and the events behind it continue",
			params: ById,
			response: { 204: Type.Null(), ...refusals },
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			if (!(await resolveDeadLetter(parts, { id, verb: "discard" }, operatorOf(request)))) throw notFound();
			request.log.warn({ dead_letter: id }, "dead letter discarded");
			return reply.code(204).send(null);
		},
	}),
];

/** The operator, for the audit log. */
export function operatorOf(request: FastifyRequest): Operator {
	return { actor: actorOf(callerOf(request)), ...originOf(request) };
}

const notFound = () => chassisFailures.not_found({ message: "Dead letter not found." });

function toWire({ eventId, receivedAt, deadAt, subject, ...letter }: DeadLetter): Static<typeof Entry> {
	return {
		...letter,
		event_id: eventId ?? null,
		subject: subject ?? null,
		received_at: receivedAt.toISOString(),
		dead_at: deadAt.toISOString(),
	};
}
