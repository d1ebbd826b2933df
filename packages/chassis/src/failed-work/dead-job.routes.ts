import { FailureBody, Page } from "@lango/contracts";
import { listDeadJobs } from "@lango/jobs";
import Type from "typebox";
import { chassisFailures } from "../request/failure.ts";
import { platformOwner, type Route, route } from "../request/route.ts";
import { operatorOf } from "./dead-letter.routes.ts";
import { type FailedWork, redriveDeadJobAudited } from "./failed-work.ts";

const Entry = Type.Object({
	id: Type.String(),
	job: Type.String(),
	about: Type.Union([Type.String(), Type.Null()], { description: "The row's id; null for a schedule" }),
	reason: Type.String(),
	tries: Type.Integer(),
	died_at: Type.String({ format: "date-time" }),
});

const refusals = { 401: FailureBody, 403: FailureBody } as const;

/** The platform owner's routes for jobs that have used up their attempts: list, redrive. */
export const deadJobRoutes = (parts: FailedWork): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/platform/dead-jobs",
		access: platformOwner(),
		schema: {
			summary:
				"Lists the jobs of this service that have used up their attempts, in order of their last failure",
			querystring: Type.Object({
				cursor: Type.Optional(
					Type.String({ pattern: "^[0-9]{1,16}_[0-9a-f-]{36}$", "x-error": "must be a cursor of this list" }),
				),
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
			}),
			response: { 200: Page(Entry), ...refusals },
		},
		handler: async ({ query: { cursor, limit = 50 } }) => {
			const { items, nextCursor } = await listDeadJobs(parts.db, { cursor, limit });
			return {
				items: items.map(({ deadId, job, id, reason, tries, diedAt }) => ({
					id: deadId,
					job,
					about: id,
					reason,
					tries,
					died_at: diedAt.toISOString(),
				})),
				next_cursor: nextCursor ?? null,
			};
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/platform/dead-jobs/:id/redrive",
		access: platformOwner(),
		subscription: {
			exempt: "the platform owner can handle failed work regardless of the tenant's subscription",
		},
		schema: {
			summary:
				"Returns a dead job to its queue with all attempts, or removes it if a new job exists for its row",
			params: Type.Object({ id: Type.String({ format: "uuid" }) }),
			response: {
				202: Type.Object({ redriven: Type.Boolean({ description: "False: it was removed" }) }),
				...refusals,
				404: FailureBody,
			},
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			const redriven = await redriveDeadJobAudited(parts, id, operatorOf(request));
			if (redriven === undefined) throw chassisFailures.not_found({ message: "Dead job not found." });
			request.log.warn({ dead_job: id, came_to: redriven }, "dead job redriven");
			return reply.code(202).send({ redriven: redriven === "redriven" });
		},
	}),
];
