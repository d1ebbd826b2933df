import { expect, test, vi } from "vitest";
import { keepForm } from "./search-field.tsx";

test.each([
	["Enter", 1],
	["a", 0],
])("of the keys in a search field only Enter is kept from the form: %s", (key, times) => {
	const preventDefault = vi.fn();
	keepForm({ key, preventDefault });
	expect(preventDefault).toHaveBeenCalledTimes(times);
});
