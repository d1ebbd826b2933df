import { expect, test } from "vitest";
import { english } from "../state/texts-english.ts";
import type { Trigger } from "../state/trigger.queries.ts";
import { findProblems } from "./check-draft.ts";
import { listPaths } from "./list-paths.ts";
import { draftOf, emptyDraft, readDraft, suggestVariable, type TriggerDraft } from "./trigger-draft.ts";

const template = {
	variables: [
		{ name: "name", kind: "text" },
		{ name: "title", kind: "text" },
		{ name: "count", kind: "number" },
		{ name: "price", kind: "text" },
	],
	channels: ["sms", "email", "in_app"] as const,
};
const id = "7d0f6b2a-0b7d-4a55-9c1e-4f2a1c3e9e11";
const rule: Trigger = {
	...{ id: "r", is_platform: false, last_run: null, people: [{ user_id: id, name: "Asha" }] },
	...{ name: "Low", event: "custom.stock.low", template: "shared/generic_notification" },
	...{ channels: ["sms", "email"], mode: "first", delay_seconds: 5_400, enabled: false },
	recipients: ["event.user", "role:admin", `user:${id}`],
	conditions: [
		{ path: "event.left", op: "lt", value: 5 },
		{ path: "event.kind", op: "in", value: ["a", "b"] },
		{ path: "event.note", op: "exists", value: false },
		{ path: "event.open", op: "eq", value: true },
		{ path: "before.status", op: "ne", value: "5" },
	],
	map: {
		name: { from: "recipient.name" },
		title: { from: "event.title" },
		count: { value: 3 },
		price: { money: ["event.amount", "event.currency"] },
	},
	digest: { key: "event.project", weekly_at: { day: "friday", at: "16:30" }, items_max: 5 },
};
const around = { template, paths: [] };

test("what is read from the form of a rule is the rule", () => {
	const { id: _, is_platform, last_run, people, ...terms } = rule;
	expect(readDraft(draftOf(rule), around)).toEqual(terms);
	const others = [
		{ digest: { every: "1h", items_max: 2 } },
		{ digest: { daily_at: "08:00", items_max: 50 } },
		{ digest: null, delay_seconds: 0 },
		{ delay_seconds: 172_800 },
		{ delay_seconds: 61 },
	];
	for (const more of others)
		expect(readDraft(draftOf({ ...rule, ...more }), around)).toEqual({ ...terms, ...more });
});

test("a variable is filled with the value of the event that has its name, else with the recipient's or the tenant's name", () => {
	expect(suggestVariable("title", ["event.title"])).toMatchObject({ source: "path", path: "event.title" });
	expect(suggestVariable("name", [])).toMatchObject({ source: "recipient" });
	expect(suggestVariable("tenant_name", [])).toMatchObject({ source: "tenant" });
	expect(suggestVariable("title", [])).toMatchObject({ source: "path", path: "" });
});

test("a place without its beginning is one of the event", () => {
	const variables = { title: { source: "path", path: " customer.name ", currency: "", text: "" } } as const;
	const draft: TriggerDraft = { ...draftOf(rule), variables: { ...draftOf(rule).variables, ...variables } };
	expect(readDraft(draft, around).map["title"]).toEqual({ from: "event.customer.name" });
});

test("the places of an event are those of its values, at most three deep", () => {
	const text = { type: "string" };
	const customer = {
		properties: { name: text, home: { properties: { town: { properties: { code: text } } } } },
	};
	expect(listPaths({ properties: { customer, amount: { type: "integer" } } })).toEqual([
		"event.customer.name",
		"event.customer.home.town",
		"event.amount",
	]);
	expect(listPaths(undefined)).toEqual([]);
});

const fieldsOf = (draft: TriggerDraft) =>
	findProblems(draft, { template, paths: [], words: english.form }).map(({ field }) => field);

test("a rule as it is stored has no problem, and an empty form names every field that is missing", () => {
	const recipients = { recipients: ["event.user"], channels: ["email"] } as const;
	expect(fieldsOf({ ...draftOf(rule), ...recipients })).toEqual([]);
	expect(fieldsOf(emptyDraft)).toEqual([
		...["name", "event", "template", "channels", "recipients"],
		...["map.title", "map.count", "map.price"],
	]);
});

const good = draftOf({ ...rule, channels: ["email"], conditions: [] });
const condition = { key: 0, path: "event.left", op: "lt", kind: "number", value: "5" } as const;
const variable = (more: object): Partial<TriggerDraft> => ({
	variables: { ...good.variables, count: { source: "constant", path: "", currency: "", text: "", ...more } },
});
test.each<[string, Partial<TriggerDraft>, string[]]>([
	["an event of another form", { event: "custom.Stock" }, ["event"]],
	["a channel that digests do not have", { channels: ["sms"] }, ["channels"]],
	["a channel that the template lacks", { channels: ["push"] }, ["channels"]],
	["a digest for customers", { recipients: ["event.customer"] }, ["recipients"]],
	["too many recipients", { roles: Array.from({ length: 20 }, (_, n) => `r${n}`) }, ["recipients"]],
	["a text instead of a number", variable({ text: "three" }), ["map.count"]],
	[
		"a place that does not exist for variables",
		variable({ source: "path", path: "before.status" }),
		["map.count"],
	],
	["an amount without its currency", variable({ source: "money", path: "event.a" }), ["map.count.currency"]],
	[
		"a condition on the recipient",
		{ conditions: [{ ...condition, path: "recipient.name" }] },
		["conditions.0.path"],
	],
	["a comparison with no number", { conditions: [{ ...condition, value: "" }] }, ["conditions.0.value"]],
	["an empty list", { conditions: [{ ...condition, op: "in", value: "\n" }] }, ["conditions.0.value"]],
	["a delay of more than 5 days", { delay: { count: "6", unit: "days" } }, ["delay_seconds"]],
	["a digest of one message", { digest: { ...good.digest, itemsMax: "1" } }, ["digest.items_max"]],
	["no time of day", { digest: { ...good.digest, at: "" } }, ["digest.at"]],
	["a digest by a place outside of the event", { digest: { ...good.digest, key: "time" } }, ["digest.key"]],
])("%s is refused at its field", (_name, more, fields) => {
	expect(fieldsOf(good)).toEqual([]);
	expect(fieldsOf({ ...good, ...more })).toEqual(fields);
});
