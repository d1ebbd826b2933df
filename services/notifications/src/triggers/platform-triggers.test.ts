import { expect, test } from "vitest";
import { catalogue } from "../catalogue/catalogue.ts";
import { platformTriggers } from "./platform-triggers.ts";

test.each(platformTriggers)("$name fills every variable of its template, on channels that it has", (rule) => {
	const template = catalogue.find(({ path }) => path === rule.template);
	expect(Object.keys(rule.map).toSorted()).toEqual(template?.variables.map(({ name }) => name).toSorted());
	const channels = new Set(template?.contents.map(({ channel }) => channel));
	expect(rule.channels.filter((channel) => !channels.has(channel))).toEqual([]);
});

test("every rule of the platform has a name of its own", () => {
	expect(new Set(platformTriggers.map(({ name }) => name)).size).toBe(platformTriggers.length);
});
