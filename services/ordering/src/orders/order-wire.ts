import { Page, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { type Order, orderStatuses } from "./order.ts";

export const Status = Type.Enum(orderStatuses, { type: "string" });
const Minor = Type.Integer({ description: "In the currency's lowest units" });
const DateTime = Type.String({ format: "date-time" });

export const NewOrder = Shape({
	lines: Type.Array(
		Shape({ item_id: Uuid, quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 1 })) }),
		{ minItems: 1, maxItems: 50 },
	),
});

export const OrderWire = Type.Object({
	id: Uuid,
	ordered_on: Type.String({ description: "The date in the tenant's time zone" }),
	number: Type.Integer({ description: "Counts from 1 each day" }),
	outlet_id: Type.Union([Uuid, Type.Null()]),
	placed_by: Type.String(),
	status: Status,
	currency: Type.String(),
	total_minor: Minor,
	placed_at: DateTime,
	changed_at: DateTime,
	lines: Type.Array(
		Type.Object({
			item_id: Uuid,
			name: Type.String(),
			unit_price_minor: Minor,
			quantity: Type.Integer(),
		}),
	),
});
export const OrderPage = Page(OrderWire);

/**
 * Returns the order in the format of the API. Totals are exact: 50 lines of 100 at the maximum price are less
 * than 2^53.
 */
export const toWire = (order: Order) => ({
	id: order.id,
	ordered_on: order.orderedOn,
	number: order.number,
	outlet_id: order.outletId,
	placed_by: order.placedBy.id,
	status: order.status,
	currency: order.currency,
	total_minor: Number(order.totalMinor),
	placed_at: order.placedAt.toISOString(),
	changed_at: order.changedAt.toISOString(),
	lines: order.lines.map(({ itemId, name, unitPriceMinor, quantity }) => ({
		item_id: itemId,
		name,
		unit_price_minor: Number(unitPriceMinor),
		quantity,
	})),
});
