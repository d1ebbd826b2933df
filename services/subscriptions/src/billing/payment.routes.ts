import { pageOf, permit, type Route, readCursor, route, totalOf } from "@lango/chassis";
import { FailureBody, Page, SubscriptionPayment, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import { CountedPageQuery, timeForm } from "../page.ts";
import { changeRight } from "../rights.ts";
import { outcomeOf } from "../rules/lifecycle/open-operation.ts";
import { findPayment, listPayments, type Payment } from "./payment.store.ts";

const tags = ["subscription"];
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;

/** Lists the payments requested for plans and add-ons, with their outcome. */
export const paymentRoutes = ({ db }: { db: Database }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/payments",
		access: permit(changeRight),
		schema: {
			summary: "List the payments requested for plans and add-ons, latest first",
			tags,
			params: Type.Object({ tenant_id: Uuid }),
			querystring: CountedPageQuery,
			response: { 200: Page(SubscriptionPayment), ...refusals },
		},
		handler: async ({ params, query: { limit, cursor, total: isCounted } }) => {
			const tenantId = params.tenant_id.toLowerCase();
			const place = readCursor(cursor, timeForm);
			const after = place && { requestedAt: new Date(Number(place[0])), id: place[1] };
			const { rows, ...total } = await inTenant(db, tenantId, async (tx) => ({
				rows: await listPayments(tx, { tenantId, after, max: limit + 1 }),
				...(await totalOf(tx, isCounted, (all, { limit: max }) =>
					listPayments(all, { tenantId, after: undefined, max }),
				)),
			}));
			const page = pageOf(rows, {
				limit,
				toWire,
				placeOf: ({ requestedAt, id }) => [String(requestedAt.getTime()), id],
			});
			return { ...page, ...total };
		},
	}),
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/payments/:id",
		access: permit(changeRight),
		schema: {
			summary: "Get one payment: paid, refused, or not answered yet",
			description: "The id is the `operation_id` of a checkout or a change.",
			tags,
			params: Type.Object({ tenant_id: Uuid, id: Uuid }),
			response: { 200: SubscriptionPayment, ...refusals },
		},
		handler: async ({ params: { tenant_id: tenantId, id } }) => {
			const found = await inTenant(db, tenantId, (tx) => findPayment(tx, { tenantId, id }));
			if (found === undefined) throw failures.payment_not_found();
			return toWire(found);
		},
	}),
];

function toWire(payment: Payment): SubscriptionPayment {
	const outcome = outcomeOf(payment);
	return {
		id: payment.id,
		kind: payment.kind,
		status: outcome,
		plan: payment.plan,
		amount_minor: Number(payment.amountMinor),
		currency: payment.currency,
		lines: payment.lines.map(({ what, code, amountMinor }) => ({
			what,
			code,
			amount_minor: Number(amountMinor),
		})),
		attempt: payment.attempt,
		// The status says why this service closed an operation; only the treasury's reasons are shown.
		failure: outcome === "refused" || outcome === "requested" ? payment.failure : null,
		requested_at: payment.requestedAt.toISOString(),
		settled_at: payment.settledAt?.toISOString() ?? null,
	};
}
