import {
	ownerOf,
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
import { Page, PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { paymentFailures } from "../payments/failures.ts";
import type { Treasury } from "../treasury.ts";
import { listCollected } from "./collected-payment.store.ts";
import { PaymentWire, toPaymentWire } from "./payment-wire.ts";

const DateTime = Type.String({ format: "date-time" });
const common = {
	access: permit("treasury.payments.view"),
	own: true,
	outlets: tenantWide("payments are the tenant's"),
	method: "GET",
} as const;
const tags = ["payments"];

/** The routes of what was paid to the tenant for its own trade. */
export const paymentRoutes = (domain: Treasury): readonly Route[] => [listing(domain), showing(domain)];

const listing = ({ db }: Treasury): Route =>
	route({
		...common,
		url: "/payments",
		schema: {
			summary:
				"Lists what was paid to the tenant, the newest first; with treasury.payments.view_own only what the caller pays",
			tags,
			querystring: Type.Object({
				intent_id: Type.Optional(Uuid),
				from: Type.Optional(DateTime),
				to: Type.Optional(Type.String({ format: "date-time", description: "Counted before this time" })),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(PaymentWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, from, to, intent_id: intentId } = request.query;
			const query = {
				...{ intentId, customerUserId: ownerOf(request)?.userId },
				from: from === undefined ? undefined : new Date(from),
				to: to === undefined ? undefined : new Date(to),
				...{ after: readKey(cursor, uuidForm), limit: limit + 1 },
			};
			const { rows, ...total } = await inTenant(db, tenantOf(request).id, async (tx) => ({
				rows: await listCollected(tx, query),
				...(await totalOf(tx, isCounted, (all, page) => listCollected(all, { ...query, ...page }))),
			}));
			return { ...pageBy(rows, { limit, toWire: toPaymentWire, keyOf: ({ id }) => id }), ...total };
		},
	});

const showing = ({ db }: Treasury): Route =>
	route({
		...common,
		url: "/payments/:id",
		schema: {
			summary: "Returns a payment with its receipt and fee",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 200: PaymentWire },
		},
		handler: async (request) => {
			const query = { id: request.params.id, customerUserId: ownerOf(request)?.userId, limit: 1 };
			const [found] = await inTenant(db, tenantOf(request).id, (tx) => listCollected(tx, query));
			if (found === undefined) throw paymentFailures.payment_not_found();
			return toPaymentWire(found);
		},
	});
