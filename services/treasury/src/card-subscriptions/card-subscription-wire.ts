import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { expiryOf } from "../card-authorizations/card-authorization.ts";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import { FrequencyWire } from "../standing-orders/standing-order-wire.ts";
import { type CardSubscription, cardSubscriptionStatuses } from "./card-subscription.ts";

const DateTime = Type.String({ format: "date-time" });
const orNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const CardSubscriptionStatusWire = Type.Enum([...cardSubscriptionStatuses], {
	type: "string",
	description:
		"creating: the gateway has not answered; attention: the last charge failed; non_renewing: the card is not charged again",
});

/** A card subscription. */
export const CardSubscriptionWire = Type.Object({
	id: Uuid,
	status: CardSubscriptionStatusWire,
	plan_id: Uuid,
	plan_name: Type.String(),
	interval: FrequencyWire,
	amount_minor: AmountMinor,
	currency: Currency,
	authorization_id: Uuid,
	card: {
		...orNull(
			Type.Object({
				brand: Type.String(),
				last4: Type.String(),
				expires_on: Type.String({ format: "date", description: "The last day on which it can be charged" }),
			}),
		),
		description: "The card; null once its person was deleted",
	},
	next_payment_at: orNull(DateTime),
	executions: Type.Integer({ minimum: 0, description: "How often it was charged" }),
	last_executed_at: orNull(DateTime),
	failure_code: { ...orNull(Type.String()), description: "The gateway's code of why it failed" },
	version: Type.Integer(),
	created_at: DateTime,
	ended_at: orNull(DateTime),
});

/** A card subscription as the API shows it. */
export const toCardSubscriptionWire = (one: CardSubscription): Static<typeof CardSubscriptionWire> => ({
	...{ id: one.id, status: one.status, plan_id: one.plan.id, plan_name: one.plan.name },
	...{ interval: one.plan.frequency, amount_minor: toMinor(one.plan.amountMinor) },
	...{ currency: one.plan.currency, authorization_id: one.authorizationId },
	card: one.card && { brand: one.card.brand, last4: one.card.last4, expires_on: expiryOf(one.card) },
	next_payment_at: one.nextPaymentAt?.toISOString() ?? null,
	executions: one.executions,
	last_executed_at: one.lastExecutedAt?.toISOString() ?? null,
	...{ failure_code: one.failureCode, version: one.version, created_at: one.createdAt.toISOString() },
	ended_at: one.endedAt?.toISOString() ?? null,
});
