import { defineFailures } from "@lango/chassis";

/**
 * The failures of this service, besides those of every domain service. Codes are public: never rename one.
 */
export const failures = defineFailures({
	item_not_found: ["not_found", "Item not found."],
	item_exists: ["conflict", "The category already has an item with this name."],
	item_unavailable: ["conflict", "An item of the order is not on sale."],
	order_not_found: ["not_found", "Order not found."],
	order_status_conflict: ["conflict", "The order's current status does not allow this change."],
	customer_limit_reached: [
		"forbidden",
		"The limit of orders per customer and day is reached. Try again tomorrow.",
	],
	idempotency_key_reused: ["conflict", "This Idempotency-Key was used for another order."],
});
