import { expect, test } from "vitest";
import { createGrantKeys } from "./grant-keys.ts";

test("a retry has the same key; other input, or input after a success, has another one", () => {
	const keys = createGrantKeys();
	const first = keys.keyFor("10 an outage");
	expect(keys.keyFor("10 an outage")).toBe(first);
	const other = keys.keyFor("11 an outage");
	expect(other).not.toBe(first);
	keys.forget();
	expect(keys.keyFor("11 an outage")).not.toBe(other);
});
