import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import { FrequencyWire } from "../standing-orders/standing-order-wire.ts";
import { type CardPlan, cardPlanStatuses } from "./card-plan.ts";

const orNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A card plan. */
export const CardPlanWire = Type.Object({
	id: Uuid,
	status: Type.Enum([...cardPlanStatuses], {
		type: "string",
		description:
			"creating: the gateway has not answered, and is not asked again. Make another plan with a new Idempotency-Key",
	}),
	plan_code: { ...orNull(Type.String()), description: "The code of the plan at the gateway" },
	name: Type.String(),
	interval: FrequencyWire,
	amount_minor: AmountMinor,
	currency: Currency,
	failure_code: { ...orNull(Type.String()), description: "The gateway's code of why it failed" },
	created_at: Type.String({ format: "date-time" }),
});

/** A card plan as the API shows it. */
export const toCardPlanWire = (plan: CardPlan): Static<typeof CardPlanWire> => ({
	...{ id: plan.id, status: plan.status, plan_code: plan.planCode, name: plan.name },
	...{ interval: plan.frequency, amount_minor: toMinor(plan.amountMinor), currency: plan.currency },
	...{ failure_code: plan.failureCode, created_at: plan.createdAt.toISOString() },
});
