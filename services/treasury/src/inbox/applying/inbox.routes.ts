import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	numberForm,
	originOf,
	pageBy,
	platformOwner,
	type Route,
	readKey,
	route,
	tenantWide,
	totalOf,
} from "@lango/chassis";
import { FailureBody, Page, Shape, TotalQuery } from "@lango/contracts";
import { enqueueJobs } from "@lango/jobs";
import Type from "typebox";
import { ages, timesOf } from "../../summary/age.ts";
import type { Treasury } from "../../treasury.ts";
import { type Delivery, deliveryStatuses } from "../delivery.ts";
import {
	findDelivery,
	listDeliveries,
	type ReplayedDeliveries,
	replayDeliveries,
} from "../delivery-admin.store.ts";
import { inboxFailures } from "../failures.ts";
import { applyJob } from "../receive-delivery.ts";
import { showBody } from "../show-body.ts";

const tags = ["inbox"];
const operator = { access: platformOwner(), outlets: tenantWide("deliveries belong to no tenant") };
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const base = "/api/v1/platform/inbox";
const replayedMax = 10_000;

const Status = Type.Enum(deliveryStatuses, { type: "string" });
const DateTime = Type.String({ format: "date-time" });
const Id = Type.String({ pattern: "^[0-9]{1,18}$", "x-error": "must be the id of a delivery" });
const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const Item = {
	id: Type.String(),
	gateway: Type.String(),
	route: Type.String(),
	object: Type.String({ description: "Deliveries of one object are applied in their order" }),
	status: Status,
	trust: Type.Union([Type.String(), Type.Null()], { description: "signature, token, address or none" }),
	received_at: DateTime,
	remote_ip: Type.String(),
	tries: Type.Integer(),
	duplicates: Type.Integer({ description: "How often the same bytes came again" }),
	error: Type.Union([Type.String(), Type.Null()], { description: "Why it is parked or ignored" }),
};
const Replayed = Type.Object({ replayed: Type.Integer() });
const replaying = {
	...operator,
	subscription: { exempt: "the platform owner replays regardless of a tenant's subscription" },
	method: "POST",
} as const;

/** The operator's view of what gateways sent, and its replay. */
export const inboxRoutes = (treasury: Treasury): readonly Route[] => [
	listing(treasury),
	getting(treasury),
	replayingOne(treasury),
	replayingMany(treasury),
];

const listing = (treasury: Treasury): Route =>
	route({
		...operator,
		method: "GET",
		url: base,
		schema: {
			summary: "Lists what gateways sent, the latest first",
			tags,
			querystring: Type.Object({
				status: Type.Optional(Status),
				gateway: Type.Optional(Type.Enum(["mobile_money", "card_gateway"], { type: "string" })),
				route: Text(40),
				object: Type.Optional(
					Type.String({ maxLength: 200, description: "With or without its gateway before it" }),
				),
				age: Type.Optional(
					Type.Enum(ages, {
						type: "string",
						description: "Received under an hour, a day, a week ago; older",
					}),
				),
				from: Type.Optional(DateTime),
				to: Type.Optional(DateTime),
				cursor: Text(600),
				limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
				...TotalQuery,
			}),
			response: {
				200: Page(Type.Object(Item)),
				...refusals,
			},
		},
		handler: async ({ query: { cursor, limit, age, total, ...filter } }) => {
			const aged = age === undefined ? undefined : timesOf(age, treasury.now());
			const before = readKey(cursor, numberForm);
			const rows = await listDeliveries(treasury.db, { filter, aged, before, limit: limit + 1 });
			return {
				...pageBy(rows, { limit, toWire, keyOf: ({ id }) => id }),
				...(await totalOf(treasury.db, total, (all, page) =>
					listDeliveries(all, { filter, aged, before: undefined, limit: page.limit }),
				)),
			};
		},
	});

const getting = (treasury: Treasury): Route =>
	route({
		...operator,
		method: "GET",
		url: `${base}/:id`,
		schema: {
			summary: "Gets what a gateway sent, with its text",
			tags,
			params: Type.Object({ id: Id }),
			response: {
				200: Type.Object({
					...Item,
					headers: Type.Record(Type.String(), Type.String()),
					raw: Type.String({ description: "The body as text, without codes that charge a card" }),
				}),
				...refusals,
			},
		},
		handler: async ({ params: { id } }) => {
			const found = await findDelivery(treasury.db, id);
			if (found === undefined) throw inboxFailures.delivery_not_found();
			return { ...toWire(found), headers: found.headers, raw: showBody(found.raw) };
		},
	});

const replayingOne = (treasury: Treasury): Route =>
	route({
		...replaying,
		url: `${base}/:id/replay`,
		schema: {
			summary: "Applies a delivery again",
			description: "What was applied before has no second effect.",
			tags,
			params: Type.Object({ id: Id }),
			response: { 202: Replayed, ...refusals },
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			if ((await findDelivery(treasury.db, id)) === undefined) throw inboxFailures.delivery_not_found();
			const about = { actor: actorOf(callerOf(request)), origin: originOf(request), subject: id };
			return reply.code(202).send({ replayed: await replay(treasury, { id }, about) });
		},
	});

const replayingMany = (treasury: Treasury): Route =>
	route({
		...replaying,
		url: `${base}/replay`,
		schema: {
			summary: "Applies deliveries of a time again, at most 10,000",
			tags,
			body: Shape({
				from: DateTime,
				to: DateTime,
				status: Type.Enum(["ignored", "parked", "done"], { type: "string" }),
			}),
			response: { 202: Replayed, ...refusals },
		},
		handler: async (request, reply) => {
			const about = {
				actor: actorOf(callerOf(request)),
				origin: originOf(request),
				subject: request.body.status,
			};
			return reply.code(202).send({ replayed: await replay(treasury, request.body, about) });
		},
	});

type About = { actor: ReturnType<typeof actorOf>; origin: ReturnType<typeof originOf>; subject: string };

async function replay(
	{ db, now }: Treasury,
	which: ReplayedDeliveries,
	{ actor, origin, subject }: About,
): Promise<number> {
	return db.transaction(async (tx) => {
		const objects = await replayDeliveries(tx, { which, limit: replayedMax });
		await enqueueJobs(
			tx,
			applyJob,
			objects.map((id) => ({ id })),
		);
		const detail = { ...which, count: objects.length };
		await recordAudit(tx, {
			...{ tenantId: undefined, at: now(), actor, ...origin },
			...{ action: "inbox.replayed", subject, detail },
		});
		return objects.length;
	});
}

const toWire = (delivery: Delivery) => ({
	id: delivery.id,
	gateway: delivery.gateway,
	route: delivery.route,
	object: delivery.objectKey,
	status: delivery.status,
	trust: delivery.trust ?? null,
	received_at: delivery.receivedAt.toISOString(),
	remote_ip: delivery.remoteIp,
	tries: delivery.tries,
	duplicates: delivery.duplicates,
	error: delivery.error ?? null,
});
