import { permit, type Route, route } from "@lango/chassis";
import { FailureBody, SubscriptionBilling, SubscriptionCheckout, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import { exceeded, lossToWire, type UsageNow } from "../quotes/quote.ts";
import { listOperations } from "../record/operation.store.ts";
import { readSubscription } from "../record/subscription.store.ts";
import { type Clock, timeFor } from "../record/tenant-time.ts";
import { changeRight } from "../rights.ts";
import { reckonCheckout } from "../rules/changes/select-plan.ts";
import { nextChoice } from "../rules/lifecycle/pending.ts";
import { endOf, startOfNext } from "../rules/lifecycle/period.ts";
import { type HeldSubscription, openOperationOf } from "../rules/lifecycle/subscription.ts";
import { chargesOfPeriod } from "../rules/money/amount.ts";
import { isLoss } from "../rules/terms/loss.ts";
import type { Choice } from "../rules/terms/plan.ts";
import { choiceToPay } from "./choice-to-pay.ts";

type BillingParts = { db: Database; clock: Clock; usageNow: UsageNow };

const Params = Type.Object({ tenant_id: Uuid });
const tags = ["subscription"];
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;

/** The money of a subscription, for looking at before anything is asked for. */
export const billingRoutes = ({ db, clock, usageNow }: BillingParts): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/billing",
		access: permit(changeRight),
		schema: {
			summary: "What the tenant pays, until when it has paid, and what waits to be paid",
			tags,
			params: Params,
			response: { 200: SubscriptionBilling, ...refusals },
		},
		handler: async ({ params: { tenant_id: tenantId } }) => {
			return inTenant(db, tenantId, async (tx) =>
				billingOf(await getHeld(tx, tenantId), await timeFor(tx, tenantId, clock)),
			);
		},
	}),
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/checkout",
		access: permit(changeRight),
		schema: {
			summary: "What a checkout of a plan would ask for, and the time it would pay for",
			tags,
			params: Params,
			querystring: Type.Object(
				{
					plan: Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,62}$" }),
					add_ons: Type.Optional(
						Type.String({
							pattern: "^([a-z][a-z0-9_]{1,62}(,[a-z][a-z0-9_]{1,62}){0,19})?$",
							description: "Those the tenant keeps of the add-ons it has, between commas; unless named, all",
						}),
					),
				},
				{ additionalProperties: false },
			),
			response: { 200: SubscriptionCheckout, ...refusals },
		},
		handler: async ({ params: { tenant_id: tenantId }, query }) => {
			const used = await usageNow(tenantId);
			const addOns = query.add_ons?.split(",").filter((code) => code !== "");
			return inTenant(db, tenantId, async (tx) => {
				const held = await getHeld(tx, tenantId);
				const choice = await choiceToPay(tx, held, { plan: query.plan, addOns });
				return checkoutOf(held, { choice, now: await timeFor(tx, tenantId, clock), used });
			});
		},
	}),
];

/** Throws `no_subscription`. */
async function getHeld(tx: Database, tenantId: string): Promise<HeldSubscription> {
	const read = await readSubscription(tx, { tenantId });
	if (read === undefined) throw failures.no_subscription();
	return { ...read, operations: await listOperations(tx, { tenantId }) };
}

/** A plan that waits to be paid costs nothing yet; one whose time has come is there, whether or not a job has run. */
function billingOf(held: HeldSubscription, now: Date): SubscriptionBilling {
	const { pending, balanceMinor, balanceCurrency } = held;
	const next = nextChoice(held, held);
	const hasCome = pending !== null && pending.from !== null && now >= pending.from;
	const { plan } = hasCome ? next : held;
	const charges = chargesOfPeriod(next);
	return {
		version: held.version,
		plan: plan.code,
		plan_version: plan.version,
		price_minor: Number(plan.priceMinor),
		currency: plan.currency,
		interval: plan.interval,
		period_started_at: held.periodStartedAt?.toISOString() ?? null,
		period_ends_at: held.periodEndsAt?.toISOString() ?? null,
		cancelled_at: held.cancelledAt?.toISOString() ?? null,
		next_period: {
			plan: next.plan.code,
			interval: next.plan.interval,
			amount_minor: Number(charges.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)),
		},
		balance_minor: Number(balanceCurrency === plan.currency ? balanceMinor : 0n),
		open_payment_id: openOperationOf(held)?.id ?? null,
	};
}

function checkoutOf(
	held: HeldSubscription,
	{ choice, now, used }: { choice: Choice; now: Date; used: Awaited<ReturnType<UsageNow>> },
): SubscriptionCheckout {
	const { plan, addOns } = choice;
	const { amount, loss } = reckonCheckout(held, choice, now);
	const start = startOfNext(held, plan, now);
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
		ends_at: endOf(start, { timeZone: held.timeZone, plan }).toISOString(),
		acknowledgement_required: isLoss(loss),
		...lossToWire(loss, exceeded(loss, used)),
	};
}
