import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import { maskPhone } from "../money/phone.ts";
import { type StandingOrder, standingOrderStatuses } from "./standing-order.ts";

const orNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });
/** A day. */
export const Day = Type.String({ format: "date", examples: ["2026-12-01"] });

export const FrequencyWire = Type.Enum(["daily", "weekly", "monthly", "quarterly", "half_yearly", "yearly"], {
	type: "string",
});

export const StandingOrderStatusWire = Type.Enum([...standingOrderStatuses], {
	type: "string",
	description: "requested: the gateway has not answered; consent_pending: the payer is asked on the phone",
});

/** A standing order. */
export const StandingOrderWire = Type.Object({
	id: Uuid,
	status: StandingOrderStatusWire,
	phone_masked: Type.String(),
	amount_minor: AmountMinor,
	currency: Currency,
	frequency: FrequencyWire,
	start_on: Day,
	end_on: Day,
	description: Type.String(),
	account_code: Type.String({ description: "The account that its payments name" }),
	executions: Type.Integer({ minimum: 0, description: "How often it was paid" }),
	last_executed_at: orNull(DateTime),
	failure_code: { ...orNull(Type.String()), description: "The gateway's code of why it failed" },
	version: Type.Integer(),
	created_at: DateTime,
	ended_at: orNull(DateTime),
});

/** A standing order as the API shows it. */
export const toStandingOrderWire = (order: StandingOrder): Static<typeof StandingOrderWire> => ({
	...{ id: order.id, status: order.status, phone_masked: maskPhone(order.phone) },
	...{ amount_minor: toMinor(order.amountMinor), currency: order.currency, frequency: order.frequency },
	...{ start_on: order.startOn, end_on: order.endOn, description: order.description },
	...{ account_code: order.accountCode, executions: order.executions, failure_code: order.failureCode },
	last_executed_at: order.lastExecutedAt?.toISOString() ?? null,
	...{ version: order.version, created_at: order.createdAt.toISOString() },
	ended_at: order.endedAt?.toISOString() ?? null,
});
