import { expect, test } from "vitest";
import { catalogue } from "../catalogue/catalogue.ts";
import { dayLimits } from "../messages/refusals.ts";
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

/** The words that the platform's rules give to templates, with the variable. */
const words = [
	...platformTriggers.flatMap(({ template, map }) =>
		Object.entries(map).flatMap(([variable, value]) =>
			"value" in value ? [[template, variable, String(value.value)] as const] : [],
		),
	),
	...Object.values(dayLimits).map((limit) => ["shared/system_alert", "alert_message", limit] as const),
];

test.each(words)(
	"%s writes its variable %s in both languages if it is the word %s",
	(path, variable, word) => {
		const contents = catalogue.find((template) => template.path === path)?.contents ?? [];
		const showing = contents
			.flatMap(({ subject = "", source }) => [subject, source])
			.filter((text) => text.includes(`{{ ${variable} }}`));
		expect(showing.length).toBeGreaterThan(0);
		for (const text of showing) expect(text).toContain(`{% when "${word}" %}`);
	},
);
