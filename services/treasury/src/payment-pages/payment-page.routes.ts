import {
	actorOf,
	callerOf,
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
import { FailureBody, Name, Page, PageQuery, Shape, TotalQuery } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { AmountMinor, Currency } from "../money/amount.ts";
import type { Treasury } from "../treasury.ts";
import { createPaymentPage } from "./create-payment-page.ts";
import { listPages } from "./payment-page.store.ts";
import { PageMetadata, PaymentPageWire, toPaymentPageWire } from "./payment-page-wire.ts";

const tags = ["payment pages"];
const ofTheTenant = { outlets: tenantWide("payment pages are the tenant's") };

/** The routes of the pages where anybody pays a tenant. */
export const paymentPageRoutes = (domain: Treasury): readonly Route[] => [
	route({
		...ofTheTenant,
		access: permit("treasury.payment_pages.add"),
		method: "POST",
		url: "/payment-pages",
		schema: {
			summary: "Makes a page of the card gateway where anybody pays the tenant",
			description:
				"Each payment makes a payment request of its own and pays it. With an Idempotency-Key, a known one returns its page with 200.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Chosen by the caller" }),
				),
			}),
			body: Shape({
				name: Name(100),
				description: Name(300),
				amount_minor: Type.Optional({ ...AmountMinor, description: "Without it the payer chooses it" }),
				currency: Currency,
				metadata: Type.Optional(PageMetadata),
			}),
			response: { 200: PaymentPageWire, 201: PaymentPageWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const { page, isNew } = await createPaymentPage(domain, {
				...{ tenantId: tenantOf(request).id, request: request.body },
				...{ createdBy: actorOf(callerOf(request)), idempotencyKey: request.headers["idempotency-key"] },
			});
			return reply.code(isNew ? 201 : 200).send(toPaymentPageWire(page));
		},
	}),
	route({
		...ofTheTenant,
		access: permit("treasury.payment_pages.view"),
		method: "GET",
		url: "/payment-pages",
		schema: {
			summary: "Lists payment pages, the newest first",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(PaymentPageWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const query = { after: readKey(cursor, uuidForm), limit: limit + 1 };
			return inTenant(domain.db, tenantOf(request).id, async (tx) => ({
				...pageBy(await listPages(tx, query), { limit, toWire: toPaymentPageWire, keyOf: ({ id }) => id }),
				...(await totalOf(tx, isCounted, (all, page) => listPages(all, { ...query, ...page }))),
			}));
		},
	}),
];
