import { permit, type Route, route } from "@lango/chassis";
import { FailureBody, Subscription, SubscriptionQuote, Uuid } from "@lango/contracts";
import Type from "typebox";
import { changeDetail } from "../audit/change-detail.ts";
import { originOf, recordAuditEntry } from "../audit/origin.ts";
import { changeRight } from "../rights.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import { isLoss, lossToWire } from "../rules/terms/loss.ts";
import { type QuotedChange, type QuoteParts, quoteChange, takeQuote } from "./quote.ts";

const Params = Type.Object({ tenant_id: Uuid });
const PlanCode = Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,62}$" });
const closed = { additionalProperties: false };

const Wanted = Type.Object(
	{
		plan: Type.Optional(PlanCode),
		add_ons: Type.Optional(
			Type.Array(Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" }), { maxItems: 20, uniqueItems: true }),
		),
	},
	{ ...closed, minProperties: 1 },
);

const Minor = Type.Integer({ description: "In the currency's lowest units" });
const Taken = Type.Object({
	outcome: Type.Enum(["payment_requested", "changed", "scheduled"], { type: "string" }),
	operation_id: Type.Union([Uuid, Type.Null()]),
	amount_minor: Minor,
	currency: Type.String(),
	subscription: Subscription,
});

export const quoteRoutes = (quoting: QuoteParts): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/tenants/:tenant_id/subscription/quote",
		access: permit(changeRight),
		schema: {
			summary: "Quote a change of the plan or the add-ons, and what the tenant would lose",
			description:
				"What is omitted stays as it is. `add_ons` is the complete list: add-ons that are not named are removed. A quote is valid for 15 minutes, or until the subscription changes.",
			tags: ["subscription"],
			params: Params,
			body: Wanted,
			response: { 200: SubscriptionQuote, "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: async (request) =>
			toWire(
				await quoteChange(quoting, {
					tenantId: request.params.tenant_id,
					plan: request.body.plan,
					addOns: request.body.add_ons,
					correlationId: request.id,
				}),
			),
	}),
	route({
		method: "POST",
		url: "/api/v1/tenants/:tenant_id/subscription/change",
		access: permit(changeRight),
		schema: {
			summary: "Change the plan and the add-ons as quoted",
			description:
				"`now` requests the payment and changes them when it is paid (202), or at once if nothing is due. `period_end` changes them at the end of the paid period, and cannot add anything.",
			tags: ["subscription"],
			params: Params,
			body: Type.Object(
				{
					quote_id: Uuid,
					mode: Type.Enum(["now", "period_end"], { type: "string" }),
					acknowledge: Type.Optional(
						Type.Boolean({ description: "Confirms that the tenant accepts the loss" }),
					),
				},
				closed,
			),
			response: { 200: Taken, 202: Taken, "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: async (request, reply) => {
			const { tenant_id: tenantId } = request.params;
			const { quote_id: quoteId, mode, acknowledge: isAcknowledged = false } = request.body;
			const used = await quoting.readLimitUsage(tenantId);
			const taken = await quoting.db.transaction(async (tx) => {
				const changed = await takeQuote(
					{ ...quoting, db: tx },
					{ tenantId, quoteId, mode, isAcknowledged, used, correlationId: request.id },
				);
				const detail = { quote_id: quoteId, mode, ...changeDetail(changed.subscription, changed.result) };
				const entry = { tenantId, action: "plan.changed", subject: tenantId, detail, at: changed.now };
				await recordAuditEntry(tx, originOf(request), entry);
				return changed;
			});
			const { subscription, now, result: operation } = taken;
			const isPaymentRequested = operation !== undefined && operation.amountMinor > 0n;
			return reply.code(isPaymentRequested ? 202 : 200).send({
				outcome: isPaymentRequested ? "payment_requested" : mode === "now" ? "changed" : "scheduled",
				operation_id: operation?.id ?? null,
				amount_minor: Number(operation?.amountMinor ?? 0n),
				currency: operation?.currency ?? subscription.plan.currency,
				subscription: snapshotAt(subscription, now),
			});
		},
	}),
];

function toWire({ id, version, expiresAt, choice, priced, limitsExceeded }: QuotedChange): SubscriptionQuote {
	const { direction, amount, periodEndsAt } = priced;
	return {
		quote_id: id,
		expires_at: expiresAt.toISOString(),
		version,
		plan: choice.plan.code,
		plan_version: choice.plan.version,
		add_ons: choice.addOns.map(({ code }) => code),
		direction,
		credit_minor: Number(amount.creditMinor),
		charge_minor: Number(amount.chargeMinor),
		balance_minor: Number(amount.balanceMinor),
		due_minor: Number(amount.amountMinor),
		currency: amount.currency,
		lines: amount.lines.map(({ what, code, amountMinor }) => ({
			what,
			code,
			amount_minor: Number(amountMinor),
		})),
		period_ends_at: periodEndsAt.toISOString(),
		acknowledgement_required: isLoss(priced),
		...lossToWire(priced, limitsExceeded),
	};
}
