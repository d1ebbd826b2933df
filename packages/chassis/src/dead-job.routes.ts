import { FailureBody, Page } from "@lango/contracts";
import { listDeadJobs } from "@lango/jobs";
import Type from "typebox";
import { decidingOf } from "./dead-letter.routes.ts";
import { chassisFailures } from "./failure.ts";
import { type Mending, mendDeadJob } from "./mend-failed.ts";
import { platformOwner, type Route, route } from "./route.ts";

const Entry = Type.Object({
	id: Type.String(),
	job: Type.String(),
	about: Type.Union([Type.String(), Type.Null()], { description: "The row's id; null for a schedule" }),
	reason: Type.String(),
	tries: Type.Integer(),
	died_at: Type.String({ format: "date-time" }),
});

const refusals = { 401: FailureBody, 403: FailureBody } as const;

/** What the platform's owner does about jobs whose last try failed: list them, and put one back into its queue. */
export const deadJobRoutes = (parts: Mending): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/platform/dead-jobs",
		access: platformOwner(),
		schema: {
			summary: "Jobs of this service whose last try failed, in the order they did",
			querystring: Type.Object({
				cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,16}_[0-9a-f-]{36}$" })),
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
		subscription: { exempt: "the platform's owner mends what failed, whoever's plan has run out" },
		schema: {
			summary:
				"Puts one back into its queue with all its tries, or lays it aside when its row has a job by now",
			params: Type.Object({ id: Type.String({ format: "uuid" }) }),
			response: {
				202: Type.Object({ redriven: Type.Boolean({ description: "False: it was laid aside" }) }),
				...refusals,
				404: FailureBody,
			},
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			const redriven = await mendDeadJob(parts, id, decidingOf(request));
			if (redriven === undefined) throw chassisFailures.not_found({ message: "There is no such dead job." });
			request.log.warn({ dead_job: id, came_to: redriven }, "a dead job is tried again");
			return reply.code(202).send({ redriven: redriven === "redriven" });
		},
	}),
];
