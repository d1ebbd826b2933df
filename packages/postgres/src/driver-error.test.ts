import { expect, test } from "vitest";
import { violatedConstraint } from "./driver-error.ts";

const refused = (message: string, more: object) =>
	Object.assign(new Error(message), { code: "23505", ...more });

test("a violated constraint has the name of the driver, also with the number of a cluster's shard, or that in its message", () => {
	const message = 'duplicate key value violates unique constraint "orders__key_unique_102070"';
	expect(violatedConstraint(refused("refused", { constraint: "orders__key_unique" }))).toBe(
		"orders__key_unique",
	);
	expect(violatedConstraint(refused(message, { constraint: "orders__key_unique_102070" }))).toBe(
		"orders__key_unique",
	);
	expect(violatedConstraint(refused(message, {}))).toBe("orders__key_unique");
	expect(violatedConstraint(refused(message, { code: "40001" }))).toBeUndefined();
	const checked = 'new row for relation "orders_102070" violates check constraint "orders__total_positive"';
	expect(violatedConstraint(refused(checked, { code: "23514" }))).toBe("orders__total_positive");
});
