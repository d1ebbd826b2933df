import {
	chassisFailures,
	pageBy,
	platformOwner,
	type Route,
	readKey,
	route,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { FailureBody, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import Type from "typebox";
import { operatorOf } from "../operator.ts";
import type { Treasury } from "../treasury.ts";
import { listRuns } from "./run.store.ts";
import { type Run, runKinds, runStates } from "./run.ts";
import { startRun } from "./start-run.ts";

const tags = ["reconciliation"];
const operator = { access: platformOwner(), outlets: tenantWide("reconciliation is the platform's") };
const starting = {
	...operator,
	...{ method: "POST" as const },
	subscription: { exempt: "the platform owner reconciles regardless of the tenant's subscription" },
};
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const DateTime = Type.String({ format: "date-time" });
const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Kind = Type.Enum(runKinds, { type: "string" });

const RunWire = Type.Object({
	id: Uuid,
	kind: Kind,
	from: DateTime,
	to: DateTime,
	state: Type.Enum(runStates, { type: "string" }),
	failure: Nullable(Type.String({ description: "Why it failed. It is tried again a few times" })),
	found: Nullable(
		Type.Integer({
			description:
				"How many settlements, charges with refunds and disputes, or balances were compared, or how many expectations are late",
		}),
	),
	created_at: DateTime,
	ended_at: Nullable(DateTime),
});

/** The operator's routes that compare gateways with the treasury. */
export const runRoutes = (treasury: Treasury): readonly Route[] => [
	route({
		...operator,
		method: "GET",
		url: "/api/v1/platform/reconciliation/runs",
		schema: {
			summary: "Lists runs of the reconciliation, the newest first",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(RunWire), ...refusals },
		},
		handler: async ({ query: { cursor, limit = 50, total } }) => {
			const before = readKey(cursor, uuidForm);
			const found = await listRuns(treasury.db, { before, limit: limit + 1 });
			return {
				...pageBy(found, { limit, toWire, keyOf: ({ id }) => id }),
				...(await totalOf(treasury.db, total, (all, page) =>
					listRuns(all, { before: undefined, limit: page.limit }),
				)),
			};
		},
	}),
	route({
		...starting,
		url: "/api/v1/platform/reconciliation/runs",
		schema: {
			summary: "Compares the card gateway with the treasury",
			description: "A job does it. What differs is raised as an exception.",
			tags,
			body: Shape({ kind: Kind, from: DateTime, to: DateTime }),
			response: { 202: RunWire, ...refusals },
		},
		handler: async (request, reply) => {
			const { kind, ...range } = request.body;
			const run = await startRun(treasury, { kind, ...readRange(range) }, operatorOf(request));
			return reply.code(202).send(toWire(run));
		},
	}),
	route({
		...starting,
		url: "/api/v1/platform/settlements/fetch",
		schema: {
			summary: "Fetches the settlements of a time from the card gateway",
			tags,
			body: Shape({ from: DateTime, to: DateTime }),
			response: { 202: RunWire, ...refusals },
		},
		handler: async (request, reply) => {
			const range = readRange(request.body);
			const run = await startRun(treasury, { kind: "settlements", ...range }, operatorOf(request));
			return reply.code(202).send(toWire(run));
		},
	}),
];

const daysMax = 400;

function readRange(range: { from: string; to: string }): Pick<Run, "from" | "to"> {
	const [from, to] = [new Date(range.from), new Date(range.to)];
	if (from > to || to.getTime() - from.getTime() > daysMax * 86_400_000)
		throw chassisFailures.invalid_input({
			message: `to must not be before from, nor more than ${daysMax} days after it.`,
			fields: { field: "to", in: "body" },
		});
	return { from, to };
}

const toWire = (run: Run) => ({
	...{ id: run.id, kind: run.kind, from: run.from.toISOString(), to: run.to.toISOString() },
	...{
		state: run.state,
		failure: run.failure ?? null,
		found: run.found ?? null,
		created_at: run.createdAt.toISOString(),
	},
	ended_at: run.endedAt?.toISOString() ?? null,
});
