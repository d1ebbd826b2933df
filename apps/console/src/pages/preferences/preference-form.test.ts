import { expect, test } from "vitest";
import type { CategoryChoices } from "./preference.queries.ts";
import { checkSettings, readChoices, readSettings } from "./preference-form.ts";

const on = { is_on: true, chosen_by: null };
const all = { email: on, sms: on, push: on, whatsapp: on, in_app: on };
const words = { half: "half", empty: "empty" };

function form(fields: ReadonlyArray<readonly [string, string]>): FormData {
	const entered = new FormData();
	for (const [name, value] of fields) entered.append(name, value);
	return entered;
}

test("only own choices and changed ones are sent, and none of a critical category", () => {
	const now: CategoryChoices[] = [
		{ category: "security", is_critical: true, channels: all },
		{
			...{ category: "general", is_critical: false },
			channels: {
				...all,
				sms: { is_on: false, chosen_by: "person" },
				push: { is_on: false, chosen_by: "tenant" },
			},
		},
		{ category: "billing", is_critical: false, channels: all },
	];
	const kept = ["email", "whatsapp", "in_app"].map((channel) => ["categories.billing", channel] as const);
	const entered = form([
		["categories.general", "whatsapp"],
		["categories.general", "in_app"],
		...kept,
		["categories.billing", "sms"],
		["categories.billing", "push"],
	]);
	expect(readChoices(entered, now, "person")).toEqual({ general: { email: false, sms: false } });
	expect(readChoices(entered, now, "tenant")).toEqual({ general: { email: false, push: false } });
});

test.each([
	["", "", []],
	["22:00", "", ["quiet_hours.until"]],
	["", "06:00", ["quiet_hours.from"]],
	["22:00", "22:00", ["quiet_hours.until"]],
	["22:00", "06:00", []],
])("quiet hours from %j until %j are refused at %j", (from, until, fields) => {
	const entered = form([
		["quiet_hours.from", from],
		["quiet_hours.until", until],
	]);
	expect(checkSettings(entered, words).map((error) => error.field)).toEqual(fields);
});

test("an empty field is the default of the organisation", () => {
	expect(readSettings(form([["locale", "sw-KE"]]))).toEqual({
		...{ locale: "sw-KE", time_zone: null, quiet_hours: null },
	});
});
