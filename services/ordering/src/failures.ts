import { defineFailures } from "@lango/chassis";

/** Everything this service refuses besides what every domain service does. Codes are public: never rename one. */
export const failures = defineFailures({
	item_not_found: ["not_found", "There is no such item."],
	item_exists: ["conflict", "The category has an item of this name already."],
	item_unavailable: ["conflict", "An item of the order is not sold at present."],
	order_not_found: ["not_found", "There is no such order."],
	order_status_conflict: ["conflict", "From its present status the order cannot be changed to that one."],
	customer_limit_reached: [
		"forbidden",
		"You have placed as many orders as one customer may place in a day. Try again tomorrow.",
	],
	idempotency_key_reused: ["conflict", "This Idempotency-Key was used for another order."],
});
