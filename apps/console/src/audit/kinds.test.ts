import { expect, test } from "vitest";
import { aboutOf, kinds } from "./kinds.ts";
import { tables } from "./texts.ts";

test("every action is of one kind", () => {
	const words: string[] = Object.values(kinds).flat();
	expect(new Set(words).size).toBe(words.length);
	const actions = Object.keys({ ...tables.en.actions, ...tables.en.serviceActions });
	const known = new Set<string>(words);
	expect(actions.filter((action) => !known.has(action.split(".")[0] ?? ""))).toEqual([]);
});

test("a service accepts the words of every kind", () => {
	for (const kind of Object.keys(kinds)) expect(aboutOf(kind)).toMatch(/^[a-z_]{1,40}(,[a-z_]{1,40}){0,39}$/);
	expect(aboutOf("toString")).toBeUndefined();
});
