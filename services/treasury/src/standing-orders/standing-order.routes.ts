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
import { FailureBody, Name, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { AmountMinor } from "../money/amount.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Treasury } from "../treasury.ts";
import { changeOrder } from "./change-order.ts";
import { createOrder } from "./create-standing-order.ts";
import { standingOrderFailures } from "./failures.ts";
import { findOrder, listOrders, lockOrder } from "./standing-order.store.ts";
import { isOpenOrder } from "./standing-order.ts";
import {
	Day,
	FrequencyWire,
	StandingOrderStatusWire,
	StandingOrderWire,
	toStandingOrderWire,
} from "./standing-order-wire.ts";

const tags = ["standing orders"];
const ofTheTenant = { outlets: tenantWide("standing orders are the tenant's") };
const Params = Type.Object({ tenant: Type.String(), id: Uuid });

const OrderBody = Shape({
	phone: Type.String({ minLength: 9, maxLength: 20, examples: ["0712 345 678"] }),
	amount_minor: AmountMinor,
	frequency: FrequencyWire,
	start_on: Day,
	end_on: Day,
	description: Name(100),
});

/** The routes of standing orders that pay to the tenant's own shortcode. */
export const standingOrderRoutes = (domain: Treasury): readonly Route[] => [
	creating(domain),
	...reading(domain),
	stopping(domain),
];

const creating = (domain: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.standing_orders.add"),
		method: "POST",
		url: "/standing-orders",
		schema: {
			summary: "Asks a payer for a standing order to the tenant's shortcode",
			description:
				"The payer consents on the phone. Each payment then makes a payment request of its own and pays it. Send an Idempotency-Key; the same one returns the order as it is now.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Required. Chosen by the caller" }),
				),
			}),
			body: OrderBody,
			response: { 202: StandingOrderWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const tenantId = tenantOf(request).id;
			const createdBy = actorOf(callerOf(request));
			const idempotencyKey = request.headers["idempotency-key"];
			if (idempotencyKey === undefined) throw paymentFailures.idempotency_key_required();
			const asked = { tenantId, payee: "tenant" as const, request: request.body, createdBy, idempotencyKey };
			const order = await createOrder(domain, asked);
			return reply.code(202).send(toStandingOrderWire(order));
		},
	});

const reading = ({ db }: Treasury): Route[] => [
	route({
		...ofTheTenant,
		access: permit("treasury.standing_orders.view"),
		method: "GET",
		url: "/standing-orders",
		schema: {
			summary: "Lists standing orders, the newest first",
			tags,
			querystring: Type.Object({
				status: Type.Optional(StandingOrderStatusWire),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(StandingOrderWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, status } = request.query;
			const query = { status, after: readKey(cursor, uuidForm), limit: limit + 1 };
			const { rows, ...total } = await inTenant(db, tenantOf(request).id, async (tx) => ({
				rows: await listOrders(tx, query),
				...(await totalOf(tx, isCounted, (all, page) => listOrders(all, { ...query, ...page }))),
			}));
			return { ...pageBy(rows, { limit, toWire: toStandingOrderWire, keyOf: ({ id }) => id }), ...total };
		},
	}),
	route({
		...ofTheTenant,
		access: permit("treasury.standing_orders.view"),
		method: "GET",
		url: "/standing-orders/:id",
		schema: {
			summary: "Returns a standing order",
			tags,
			params: Params,
			response: { 200: StandingOrderWire, 404: FailureBody },
		},
		handler: async (request) => {
			const order = await inTenant(db, tenantOf(request).id, (tx) => findOrder(tx, request.params.id));
			if (order?.payee !== "tenant") throw standingOrderFailures.standing_order_not_found();
			return toStandingOrderWire(order);
		},
	}),
];

const stopping = ({ db, now }: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.standing_orders.manage"),
		method: "POST",
		url: "/standing-orders/:id/stop",
		schema: {
			summary: "Stops a standing order here",
			description:
				"The gateway cannot be asked to stop it: the payer stops it on the phone. What the wallet still pays waits as a flagged receipt.",
			tags,
			params: Params,
			response: { 200: StandingOrderWire, 404: FailureBody, 409: FailureBody },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			return inTenant(db, tenantId, async (tx) => {
				const order = await lockOrder(tx, request.params.id);
				if (order?.payee !== "tenant") throw standingOrderFailures.standing_order_not_found();
				if (!isOpenOrder(order)) throw standingOrderFailures.standing_order_closed();
				const stopped = await changeOrder(tx, order, { said: { kind: "stopped" }, now: now() });
				await recordAudit(tx, {
					...{ tenantId, at: now(), actor: actorOf(callerOf(request)), ...originOf(request) },
					...{ action: "standing_order.stopped", subject: order.id, detail: {} },
				});
				return toStandingOrderWire(stopped);
			});
		},
	});
