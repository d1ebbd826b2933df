import { permit, type Route, route } from "@lango/chassis";
import { FailureBody, SubscriptionCheckout, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { audited } from "../audit/audited-change.ts";
import { paymentDetail } from "../audit/change-detail.ts";
import type { ChangeParts } from "../record/change-subscription.ts";
import { getSubscription } from "../record/get-subscription.ts";
import { timeFor } from "../record/tenant-time.ts";
import { changeRight } from "../rights.ts";
import { priceCheckout } from "../rules/changes/checkout.ts";
import { endOf, startOfNext } from "../rules/lifecycle/period.ts";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import { exceeded, isLoss, lossToWire, type ReadLimitUsage } from "../rules/terms/loss.ts";
import type { Choice } from "../rules/terms/plan.ts";
import { choiceToPay } from "./choice-to-pay.ts";
import { requestCheckout } from "./request-checkout.ts";

type CheckoutParts = ChangeParts & { readLimitUsage: ReadLimitUsage };

const Params = Type.Object({ tenant_id: Uuid });
const tags = ["subscription"];
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;

const Checkout = Type.Object(
	{
		plan: Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,62}$" }),
		add_ons: Type.Optional(
			Type.Array(Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" }), {
				maxItems: 20,
				uniqueItems: true,
				description: "The current add-ons to keep; if omitted, all of them",
			}),
		),
		acknowledge: Type.Optional(Type.Boolean({ description: "Confirms that the tenant accepts the loss" })),
	},
	{ additionalProperties: false },
);

/** The price of a checkout, and the request for its payment. */
export const checkoutRoutes = (parts: CheckoutParts): readonly Route[] => [
	quoteRoute(parts),
	requestRoute(parts),
];

const quoteRoute = (parts: CheckoutParts): Route =>
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/checkout",
		access: permit(changeRight),
		schema: {
			summary: "Get the price of a checkout, and the period it pays for",
			tags,
			params: Params,
			querystring: Type.Object(
				{
					plan: Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,62}$" }),
					add_ons: Type.Optional(
						Type.String({
							pattern: "^([a-z][a-z0-9_]{1,62}(,[a-z][a-z0-9_]{1,62}){0,19})?$",
							"x-error": "must be at most 20 codes of add-ons, separated by commas",
							description: "The current add-ons to keep, separated by commas; if omitted, all of them",
						}),
					),
				},
				{ additionalProperties: false },
			),
			response: { 200: SubscriptionCheckout, ...refusals },
		},
		handler: async ({ params: { tenant_id: tenantId }, query }) => {
			const used = await parts.readLimitUsage(tenantId);
			const addOns = query.add_ons?.split(",").filter((code) => code !== "");
			return inTenant(parts.db, tenantId, async (tx) => {
				const subscription = await getSubscription(tx, tenantId);
				const choice = await choiceToPay(tx, subscription, { plan: query.plan, addOns });
				return checkoutOf(subscription, { choice, now: await timeFor(tx, tenantId, parts.clock), used });
			});
		},
	});

const requestRoute = (parts: CheckoutParts): Route =>
	route({
		method: "POST",
		url: "/api/v1/tenants/:tenant_id/subscription/checkout",
		access: permit(changeRight),
		schema: {
			summary: "Request a first payment, an overdue one, or one during the trial",
			description:
				"A repeated request returns the same payment. An overdue tenant that pays for less than it has must acknowledge the loss.",
			tags,
			params: Params,
			body: Checkout,
			response: {
				202: Type.Object({
					operation_id: Uuid,
					amount_minor: Type.Integer({
						description: "In the currency's lowest units; 0 if credit covers the price",
					}),
					currency: Type.String(),
				}),
				...refusals,
			},
		},
		handler: async (request, reply) => {
			const { tenant_id: tenantId } = request.params;
			const { plan, add_ons: addOns, acknowledge: isAcknowledged = false } = request.body;
			const used = await parts.readLimitUsage(tenantId);
			const { result: operation } = await audited(parts, request, {
				tenantId,
				action: "payment.requested",
				work: requestCheckout({ plan, addOns, isAcknowledged, used }),
				detailOf: ({ subscription, result }) => paymentDetail(subscription, result),
			});
			const { id, amountMinor, currency } = operation;
			return reply.code(202).send({ operation_id: id, amount_minor: Number(amountMinor), currency });
		},
	});

function checkoutOf(
	subscription: FullSubscription,
	{ choice, now, used }: { choice: Choice; now: Date; used: Awaited<ReturnType<ReadLimitUsage>> },
): SubscriptionCheckout {
	const { plan, addOns } = choice;
	const { amount, loss } = priceCheckout(subscription, choice, now);
	const start = startOfNext(subscription, plan, now);
	return {
		plan: plan.code,
		plan_version: plan.version,
		add_ons: addOns.map(({ code }) => code),
		interval: plan.interval,
		currency: amount.currency,
		balance_minor: Number(amount.balanceMinor),
		amount_minor: Number(amount.amountMinor),
		lines: amount.lines.map(({ what, code, amountMinor }) => ({
			what,
			code,
			amount_minor: Number(amountMinor),
		})),
		starts_at: start.startsAt.toISOString(),
		ends_at: endOf(start, { timeZone: subscription.timeZone, plan }).toISOString(),
		acknowledgement_required: isLoss(loss),
		...lossToWire(loss, exceeded(loss, used)),
	};
}
