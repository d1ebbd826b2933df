import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import type { Notifications } from "../parts.ts";
import { PackCode } from "./credit-wire.ts";
import { requestTopUp } from "./request-top-up.ts";
import { listTopUps, type TopUp } from "./top-up.store.ts";

const tags = ["credits"];
const ofTheTenant = tenantWide("SMS credit is the tenant's");
const DateTime = Type.String({ format: "date-time" });

const TopUpWire = Type.Object({
	operation_id: Uuid,
	pack: PackCode,
	segments: Type.Integer(),
	amount_minor: Type.Integer({ description: "In minor units" }),
	currency: Type.String(),
	status: Type.Enum(["open", "paid", "failed", "expired"], { type: "string" }),
	reason: Type.Union([Type.String({ description: "Why the payment failed" }), Type.Null()]),
	requested_at: DateTime,
	expires_at: DateTime,
	ended_at: Type.Union([DateTime, Type.Null()]),
});

/** The routes of purchases of SMS credit. */
export const topUpRoutes = ({ db, now }: Notifications): readonly Route[] => [
	route({
		method: "POST",
		url: "/credits/top-ups",
		access: permit("notifications.credits.add"),
		outlets: ofTheTenant,
		schema: {
			summary: "Buys a pack of SMS credit, which is booked when it is paid",
			description:
				"One purchase is open at a time, for 24 hours. With the size and price that the buyer saw, a pack that was changed since is refused (409 `pack_changed`).",
			tags,
			body: Shape({
				pack: PackCode,
				segments: Type.Optional(Type.Integer({ minimum: 1 })),
				price_minor: Type.Optional(Type.Integer({ minimum: 1, description: "In minor units" })),
				currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
			}),
			response: { 202: TopUpWire },
		},
		handler: async (request, reply) => {
			const { id: tenantId, slug: tenantSlug } = tenantOf(request);
			const [at, actor] = [now(), actorOf(callerOf(request))];
			const { pack, segments, price_minor: priceMinor, currency } = request.body;
			const seen = { segments, priceMinor, currency };
			const topUp = await inTenant(db, tenantId, async (tx) => {
				const requested = await requestTopUp(tx, {
					...{ tenantId, tenantSlug, pack, seen, requestedBy: actor.id, now: at },
				});
				await recordAudit(tx, {
					...{ tenantId, at, actor, action: "credit.requested", subject: requested.id },
					...{ detail: { pack, segments: requested.segments }, ...originOf(request) },
				});
				return requested;
			});
			return reply.code(202).send(toWire(topUp));
		},
	}),
	route({
		method: "GET",
		url: "/credits/top-ups",
		access: permit("notifications.credits.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists purchases of SMS credit, the newest first",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(TopUpWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const query = { after: readKey(cursor, uuidForm), limit: limit + 1, now: now() };
			return inTenant(db, tenantOf(request).id, async (tx) => ({
				...pageBy(await listTopUps(tx, query), { limit, toWire, keyOf: ({ id }) => id }),
				...(await totalOf(tx, isCounted, (all, page) => listTopUps(all, { ...query, ...page }))),
			}));
		},
	}),
];

const toWire = (topUp: TopUp): Static<typeof TopUpWire> => ({
	operation_id: topUp.id,
	pack: topUp.pack,
	segments: topUp.segments,
	amount_minor: topUp.amountMinor,
	currency: topUp.currency,
	status: topUp.status,
	reason: topUp.reason,
	requested_at: topUp.requestedAt.toISOString(),
	expires_at: topUp.expiresAt.toISOString(),
	ended_at: topUp.endedAt?.toISOString() ?? null,
});
