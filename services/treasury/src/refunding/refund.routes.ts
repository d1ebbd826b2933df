import {
	actorOf,
	callerOf,
	chassisFailures,
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
import { refundFailures } from "../refunds/failures.ts";
import { findRefund, listRefunds } from "../refunds/refund.store.ts";
import { RefundStatusWire, RefundWire, toRefundWire } from "../refunds/refund-wire.ts";
import type { Treasury } from "../treasury.ts";
import { requestRefund } from "./request-refund.ts";

const common = { outlets: tenantWide("refunds are the tenant's") } as const;
const tags = ["refunds"];

const RefundBody = Shape({
	payment_id: Type.Optional(Uuid),
	receipt_id: Type.Optional(
		Type.String({ format: "uuid", description: "In place of a payment: of what is not allocated" }),
	),
	amount_minor: Type.Optional(AmountMinor),
	reason: Name(200),
	customer_note: Type.Optional(Name(200)),
});

/** The header of requests that move money: the same one again is the same request. */
const KeyHeader = Type.Object({
	"idempotency-key": Type.Optional(
		Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Required. Chosen by the caller" }),
	),
});

/** Returns the Idempotency-Key of a request. Throws `idempotency_key_required`. */
function requireKey(headers: { "idempotency-key"?: string }): string {
	const key = headers["idempotency-key"];
	if (key === undefined) throw paymentFailures.idempotency_key_required();
	return key;
}

/** Whether the caller is a superuser of the platform owner. */
function isOperator(request: Parameters<typeof callerOf>[0]): boolean {
	const caller = callerOf(request);
	return caller.kind === "user" && caller.isPlatformOwner;
}

/** The routes of money that is returned to payers: refunds, and reversals of mobile-money payments. */
export const refundRoutes = (domain: Treasury): readonly Route[] => [
	requesting(domain),
	listing(domain),
	showing(domain),
	reversing(domain),
];

const requesting = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.refunds.add"),
		method: "POST",
		url: "/refunds",
		schema: {
			summary: "Returns a payment, or a part of it, to its payer",
			description:
				"Name a payment, or a receipt of which something is not allocated. Without an amount: all that is left. The money is held until the gateway says what became of it: follow the refund. The same request with its Idempotency-Key returns it as it is now. What the tenant has been paid out already is refunded from its balance (balance_insufficient). What was paid to the platform is returned by the platform owner only, by its receipt.",
			tags,
			headers: KeyHeader,
			body: RefundBody,
			response: { 202: RefundWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const { amount_minor, reason, customer_note: customerNote = null } = request.body;
			const { refund } = await requestRefund(domain, {
				...{ tenantId: tenantOf(request).id, of: readTarget(request.body), reason, customerNote },
				amountMinor: amount_minor === undefined ? undefined : BigInt(amount_minor),
				...{ isOperator: isOperator(request), createdBy: actorOf(callerOf(request)) },
				idempotencyKey: requireKey(request.headers),
				by: { actor: actorOf(callerOf(request)), ...originOf(request) },
			});
			return reply.code(202).send(toRefundWire(refund));
		},
	});

function readTarget(body: { payment_id?: string; receipt_id?: string }) {
	const { payment_id: paymentId, receipt_id: receiptId } = body;
	if (paymentId !== undefined && receiptId === undefined) return { paymentId };
	if (receiptId !== undefined && paymentId === undefined) return { receiptId };
	throw chassisFailures.invalid_input({
		message: "Name a payment or a receipt.",
		fields: { field: "payment_id", in: "body" },
	});
}

const listing = ({ db }: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.refunds.view"),
		method: "GET",
		url: "/refunds",
		schema: {
			summary: "Lists refunds, the newest first",
			description: "Also those that were made at the gateway, without a request here.",
			tags,
			querystring: Type.Object({
				payment_id: Type.Optional(Uuid),
				receipt_id: Type.Optional(Uuid),
				status: Type.Optional(RefundStatusWire),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(RefundWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, status, ...of } = request.query;
			const query = {
				...{ paymentId: of.payment_id, receiptId: of.receipt_id, status },
				...{ after: readKey(cursor, uuidForm), limit: limit + 1 },
			};
			const { rows, ...total } = await inTenant(db, tenantOf(request).id, async (tx) => ({
				rows: await listRefunds(tx, query),
				...(await totalOf(tx, isCounted, (all, page) => listRefunds(all, { ...query, ...page }))),
			}));
			return { ...pageBy(rows, { limit, toWire: toRefundWire, keyOf: ({ id }) => id }), ...total };
		},
	});

const showing = ({ db }: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.refunds.view"),
		method: "GET",
		url: "/refunds/:id",
		schema: {
			summary: "Returns a refund",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 200: RefundWire },
		},
		handler: async (request) => {
			const found = await inTenant(db, tenantOf(request).id, (tx) => findRefund(tx, request.params.id));
			if (found === undefined) throw refundFailures.refund_not_found();
			return toRefundWire(found);
		},
	});

const reversing = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.refunds.manage"),
		method: "POST",
		url: "/reversals",
		schema: {
			summary: "Reverses a mobile-money payment within 24 hours, by its receipt number",
			description:
				"Also of a payment that nothing was counted for yet. Without an amount: all that is left of it. What is not allocated goes first. The gateway reverses a payment once (reversal_too_late afterwards). Follow the refund that is returned.",
			tags,
			headers: KeyHeader,
			body: Shape({
				receipt: Type.String({ pattern: "^[A-Z0-9]{6,20}$", maxLength: 20, examples: ["RKL51ZDR4F"] }),
				amount_minor: Type.Optional(AmountMinor),
				remarks: Name(100),
			}),
			response: { 202: RefundWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const { receipt: number, amount_minor, remarks } = request.body;
			const { refund } = await requestRefund(domain, {
				...{ tenantId: tenantOf(request).id, of: { number }, reason: remarks, customerNote: null },
				amountMinor: amount_minor === undefined ? undefined : BigInt(amount_minor),
				...{ isOperator: isOperator(request), createdBy: actorOf(callerOf(request)) },
				idempotencyKey: requireKey(request.headers),
				by: { actor: actorOf(callerOf(request)), ...originOf(request) },
			});
			return reply.code(202).send(toRefundWire(refund));
		},
	});
