import { expect, test } from "vitest";
import { memoryStorage, webStorage } from "./storage.ts";

/** The parts of a browser's storage that the client uses. */
function openWebStorage() {
	const values = new Map<string, string>();
	return {
		values,
		getItem: (key: string) => values.get(key) ?? null,
		setItem: (key: string, value: string) => void values.set(key, value),
		removeItem: (key: string) => void values.delete(key),
		key: (index: number) => [...values.keys()][index] ?? null,
		get length() {
			return values.size;
		},
	};
}

test("memory stores a value until it is removed", () => {
	const storage = memoryStorage();
	storage.set("a", "1");
	expect(storage.get("a")).toBe("1");
	storage.remove("a");
	expect(storage.get("a")).toBeUndefined();
	expect(memoryStorage().get("a")).toBeUndefined();
});

test("a value in a browser's storage is found after a reload", () => {
	const browser = openWebStorage();
	webStorage(() => browser).set("a", "1");
	expect(browser.values.get("a")).toBe("1");
	const reloaded = webStorage(() => browser);
	expect(reloaded.get("a")).toBe("1");
	reloaded.remove("a");
	expect(browser.values.size).toBe(0);
});

test.each(["memory", "a browser"])(
	"the storage of %s removes all keys with a prefix and no other keys",
	(what) => {
		const browser = openWebStorage();
		const storage = what === "memory" ? memoryStorage() : webStorage(() => browser);
		for (const key of ["pos-a", "pos:b", "postal", "other"]) storage.set(key, "1");
		storage.removeAll(["pos-", "pos:"]);
		const left = ["pos-a", "pos:b", "postal", "other"].filter((key) => storage.get(key) !== undefined);
		expect(left).toEqual(["postal", "other"]);
	},
);

const full = {
	...openWebStorage(),
	setItem: () => {
		throw new DOMException("full", "QuotaExceededError");
	},
};

test.each([
	["missing", () => undefined],
	["full", () => full],
	[
		"blocked",
		() => {
			throw new DOMException("blocked", "SecurityError");
		},
	],
])("if a browser's storage is %s, values are stored in memory", (_what, open) => {
	const storage = webStorage(open);
	storage.set("a", "1");
	expect(storage.get("a")).toBe("1");
	storage.remove("a");
	expect(storage.get("a")).toBeUndefined();
});
