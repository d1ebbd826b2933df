import {
	both,
	type Caller,
	callerOf,
	carries,
	chassisFailures,
	type Domain,
	isCustomer,
	listIn,
	outletFor,
	outletsOf,
	ownerOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { type Entitlements, EntitlementsUnavailable, limitOf, unlimited } from "@lango/entitlements";
import { inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import type { Settings } from "../config.ts";
import { failures } from "../failures.ts";
import { changeOrder } from "./change-order.ts";
import { findOrder, listOrders, type Reach } from "./order.store.ts";
import { type Placer, shareOf } from "./order.ts";
import { NewOrder, OrderPage, OrderWire, Status, toWire } from "./order-wire.ts";
import { dailyLimit, placeOrder } from "./place-order.ts";

const product = "ordering";
/** Customers use these routes only if the plan lets customers sign in and see their orders. */
const customerFeature = "customer_portal";
const tags = ["orders"];
const Params = Type.Object({ tenant: Type.String(), id: Uuid });

/** The routes of orders: placing within the day's limit, reading, and changing the status. */
export const orderRoutes = (domain: Domain<Settings>): readonly Route[] => [
	placing(domain),
	...reading(domain),
	...changing(domain),
];

const placing = ({ db, now, entitlements, settings }: Domain<Settings>): Route =>
	route({
		method: "POST",
		url: "/orders",
		access: permit("ordering.orders.add"),
		product,
		customerFeature,
		schema: {
			summary: "Places an order at the current prices",
			description:
				"Counts against max_orders_per_day in the tenant's time zone until it is cancelled: 403 limit_reached. A customer can place a share of that limit, cancelled orders included: 403 customer_limit_reached. The order stores X-Outlet-ID, or without it the caller's only outlet. The same request with the same Idempotency-Key is placed once; a repetition returns 200.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Chosen by the caller" }),
				),
			}),
			body: NewOrder,
			response: { 200: OrderWire, 201: OrderWire },
		},
		handler: async (request, reply) => {
			const tenant = tenantOf(request);
			const caller = callerOf(request);
			const limit = await limitFor(caller, tenant.id, entitlements);
			const { order, isRepeated } = await placeOrder(
				{ db, now },
				{
					tenantId: tenant.id,
					placedBy: placerOf(caller),
					person: profileOf(caller, tenant.id),
					outletId: outletFor(request),
					wanted: request.body.lines.map(({ item_id, quantity = 1 }) => ({
						itemId: item_id.toLowerCase(),
						quantity,
					})),
					idempotencyKey: request.headers["idempotency-key"],
					limit,
					share: isCustomer(request) ? shareOf(limit, settings.customerSharePercent) : undefined,
				},
			);
			return reply.code(isRepeated ? 200 : 201).send(toWire(order));
		},
	});

const reading = (domain: Domain): Route[] => [
	route({
		method: "GET",
		url: "/orders",
		access: permit("ordering.orders.view"),
		own: true,
		product,
		customerFeature,
		schema: {
			summary:
				"Lists orders, the newest first: all with ordering.orders.view and orders:read, otherwise only the caller's own",
			tags,
			querystring: Type.Object({
				status: Type.Optional(Status),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: OrderPage },
		},
		handler: async (request) => {
			const { status, cursor, limit = 50, total: isCounted } = request.query;
			const after = readKey(cursor, uuidForm);
			const query = { ...reachOf(request), status, after, limit: limit + 1 };
			const { rows, ...total } = await listIn(domain, request, async (tx) => ({
				rows: await listOrders(tx, query),
				...(await totalOf(tx, isCounted, (all, page) => listOrders(all, { ...query, ...page }))),
			}));
			return { ...pageBy(rows, { limit, toWire, keyOf: ({ id }) => id }), ...total };
		},
	}),
	route({
		method: "GET",
		url: "/orders/:id",
		access: permit("ordering.orders.view"),
		own: true,
		product,
		customerFeature,
		schema: { summary: "Returns an order", tags, params: Params, response: { 200: OrderWire } },
		handler: async (request) => {
			const { id } = request.params;
			const reach = reachOf(request);
			const found = await inTenant(domain.db, tenantOf(request).id, (tx) => findOrder(tx, { id, ...reach }));
			if (found === undefined) throw failures.order_not_found();
			return toWire(found);
		},
	}),
];

const changing = ({ db, now }: Domain): Route[] => [
	route({
		method: "PATCH",
		url: "/orders/:id",
		access: both("ordering.orders.change", "orders:change"),
		product,
		schema: {
			summary:
				"Changes an order's status to the next of placed, accepted, ready, completed, or to cancelled before it is completed",
			tags,
			params: Params,
			body: Shape({ status: Type.Enum(["accepted", "ready", "completed", "cancelled"], { type: "string" }) }),
			response: { 200: OrderWire },
		},
		handler: async (request) => {
			const { id } = request.params;
			const change = {
				tenantId: tenantOf(request).id,
				id,
				to: request.body.status,
				reach: reachOf(request),
			};
			return toWire(await changeOrder({ db, now }, change));
		},
	}),
	route({
		method: "POST",
		url: "/orders/:id/cancel",
		access: permit("ordering.orders.change_own"),
		product,
		customerFeature,
		schema: {
			summary:
				"Cancels the caller's own order before it is accepted. It still counts in the customer's share of the day",
			tags,
			params: Params,
			response: { 200: OrderWire },
		},
		handler: async (request) => {
			const { id } = request.params;
			const reach = { ...reachOf(request), owner: placerOf(callerOf(request)) };
			const change = { id, to: "cancelled", from: ["placed"], reach } as const;
			return toWire(await changeOrder({ db, now }, { tenantId: tenantOf(request).id, ...change }));
		},
	}),
];

/**
 * The orders that a caller can access. With `ordering.orders.view` and `orders:read` in the token (spec
 * §5.8): those of the caller's outlets, or of X-Outlet-ID. Otherwise: the caller's own.
 */
function reachOf(request: FastifyRequest): Reach {
	const [caller, owner] = [callerOf(request), ownerOf(request)];
	const isSuperuser = caller.kind === "user" && caller.isSuperuser;
	const seesAll = owner === undefined && (isSuperuser || carries(caller, "orders:read"));
	return { owner: seesAll ? undefined : placerOf(caller), outlets: outletsOf(request) };
}

/** Returns the caller in the form stored on an order. */
function placerOf(caller: Caller): Placer {
	if (caller.kind === "user") return { kind: "user", id: caller.userId };
	return caller.kind === "client"
		? { kind: "client", id: caller.clientId }
		: { kind: "key", id: caller.keyId };
}

/**
 * Returns the caller's limit of orders per day. Superusers are exempt from subscriptions (spec §5.9) and
 * their limits. The route does not declare the limit, because a plan with a limit of 0 would then also refuse
 * the repetition of an earlier order.
 */
async function limitFor(caller: Caller, tenantId: string, entitlements: Entitlements): Promise<number> {
	if (caller.kind === "user" && caller.isSuperuser) return unlimited;
	const claims = caller.kind === "user" ? caller.claims : undefined;
	const plan = await entitlements.entitlementOf({ tenantId, claims }).catch((error) => {
		if (error instanceof EntitlementsUnavailable)
			throw chassisFailures.entitlements_unavailable({ cause: error });
		throw error;
	});
	return limitOf(plan, dailyLimit);
}

/** Returns the data for the caller's profile; only people in their own tenant have one. */
function profileOf(caller: Caller, tenantId: string): { name: string; email: string } | undefined {
	if (caller.kind !== "user" || caller.claims.tenant_id?.toLowerCase() !== tenantId) return undefined;
	const { name = "", email = "" } = caller.claims;
	return { name, email };
}
