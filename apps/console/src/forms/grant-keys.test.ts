import { expect, test } from "vitest";
import { createGrantKeys } from "./grant-keys.ts";

test("a retry has the same key, also after a reload; other input, or input after a success, has another one", () => {
	let noted: { entered: string; key: string } | undefined;
	const note = {
		read: () => noted,
		write: (next: typeof noted) => {
			noted = next;
		},
	};
	const keys = createGrantKeys(note);
	const first = keys.keyFor("10 an outage");
	expect(keys.keyFor("10 an outage")).toBe(first);
	const other = keys.keyFor("11 an outage");
	expect(other).not.toBe(first);
	expect(createGrantKeys(note).keyFor("11 an outage")).toBe(other);
	keys.forget();
	expect(keys.keyFor("11 an outage")).not.toBe(other);
});
