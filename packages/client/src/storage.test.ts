import { expect, test } from "vitest";
import { memoryStorage, webStorage } from "./storage.ts";

/** A browser's storage, as far as it is used. */
function openWebStorage() {
	const kept = new Map<string, string>();
	return {
		kept,
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, value: string) => void kept.set(key, value),
		removeItem: (key: string) => void kept.delete(key),
		key: (index: number) => [...kept.keys()][index] ?? null,
		get length() {
			return kept.size;
		},
	};
}

test("memory keeps what it is given until it is taken away", () => {
	const storage = memoryStorage();
	storage.set("a", "1");
	expect(storage.get("a")).toBe("1");
	storage.remove("a");
	expect(storage.get("a")).toBeUndefined();
	expect(memoryStorage().get("a")).toBeUndefined();
});

test("a browser's storage is written and read, so that a reload finds it", () => {
	const browser = openWebStorage();
	webStorage(() => browser).set("a", "1");
	expect(browser.kept.get("a")).toBe("1");
	const reloaded = webStorage(() => browser);
	expect(reloaded.get("a")).toBe("1");
	reloaded.remove("a");
	expect(browser.kept.size).toBe(0);
});

test.each(["memory", "a browser"])(
	"the storage of %s removes every key with a prefix, and no other",
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
])("a browser's storage that is %s degrades to memory", (_what, open) => {
	const storage = webStorage(open);
	storage.set("a", "1");
	expect(storage.get("a")).toBe("1");
	storage.remove("a");
	expect(storage.get("a")).toBeUndefined();
});
