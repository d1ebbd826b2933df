import { expect, test } from "vitest";
import {
	canUnsubscribe,
	categories,
	checkData,
	contentFor,
	isCritical,
	type TemplateVersion,
	type Variable,
	type VariableKind,
} from "./template.ts";

const one = (kind: VariableKind): Variable[] => [{ name: "value", kind }];

test.each<[VariableKind, unknown]>([
	["text", "Amina"],
	["text", ""],
	["text", 4711],
	["secret", "s3cret"],
	["number", 32_450],
	["number", "32,450 kg"],
	["date", "2026-11-23T08:00:00Z"],
	["date", "next Monday"],
	["link", "https://example.com/a?b=c#d"],
	["list", []],
])("a %s may be %j", (kind, value) => {
	expect(checkData(one(kind), { value })).toEqual({ ok: { value } });
});

test.each<[VariableKind, unknown]>([
	["text", true],
	["text", { a: 1 }],
	["text", ["a"]],
	["secret", ""],
	["number", Number.NaN],
	["date", 1_763_884_800],
	["link", "http://example.com"],
	["link", "/relative"],
	["link", "javascript:alert(1)"],
	["link", "https://user:word@example.com"],
	["link", 'https://example.com/"onmouseover="x'],
	["link", "https://example.com/{{x}}"],
	["link", "https://example.com/\u202egnp.exe"],
	["link", " https://example.com"],
	["link", `https://example.com/${"a".repeat(2_100)}`],
	["list", "a"],
	["list", ["a"]],
	["list", Array.from({ length: 51 }, () => ({}))],
])("a %s may not be %j", (kind, value) => {
	const result = checkData(one(kind), { value });
	expect(result).toMatchObject({ problems: [{ field: "data.value", code: "variable_invalid" }] });
});

test("a variable that is missing or null is named", () => {
	const problem = {
		field: "data.value",
		code: "variable_missing",
		message: "The variable value is required.",
	};
	expect(checkData(one("text"), {})).toEqual({ problems: [problem] });
	expect(checkData(one("text"), { value: null })).toEqual({ problems: [problem] });
	expect(checkData([{ name: "constructor", kind: "text" }], {})).toHaveProperty("problems");
});

test("undeclared members are dropped, also those of items", () => {
	const items: Variable = { name: "items", kind: "list", members: [{ name: "title", kind: "text" }] };
	const data = { value: "a", other: "b", items: [{ title: "c", more: "d" }] };
	expect(checkData([...one("text"), items], data)).toEqual({ ok: { value: "a", items: [{ title: "c" }] } });
});

test("every item of a list has all members", () => {
	const items: Variable = { name: "items", kind: "list", members: [{ name: "title", kind: "text" }] };
	const message = "The variable items must be a list of at most 50 objects with the members title.";
	expect(checkData([items], { items: [{ title: "a" }, {}] })).toMatchObject({ problems: [{ message }] });
});

test("a variable that the service fetches is not taken from a caller", () => {
	const link: Variable = { name: "link", kind: "link", isFetched: true };
	expect(checkData([link], { link: "https://evil.example" })).toEqual({ ok: {} });
});

test("http links are for development only", () => {
	expect(checkData(one("link"), { value: "http://localhost:4000/a" }, { allowHttp: true })).toHaveProperty(
		"ok",
	);
});

test("a content is chosen by the first locale that there is, then by its language, then English", () => {
	const content = (locale: string) => ({ channel: "sms" as const, locale, source: locale, text: locale });
	const version: TemplateVersion = {
		path: "a/b",
		category: "general",
		variables: [],
		contents: [content("en"), content("sw"), content("fr-CA")],
	};
	const chosen = (locales: string[]) => contentFor(version, "sms", locales)?.locale;
	expect(chosen(["sw", "en"])).toBe("sw");
	expect(chosen(["en-KE"])).toBe("en");
	expect(chosen(["de", "sw-TZ"])).toBe("sw");
	expect(chosen(["fr-CA"])).toBe("fr-CA");
	expect(chosen(["fr"])).toBe("en");
	expect(chosen([])).toBe("en");
	expect(contentFor(version, "email", ["en"])).toBeUndefined();
});

test("no category is critical and can be unsubscribed", () => {
	expect(categories.filter(isCritical)).toEqual(["security", "credentials"]);
	expect(categories.filter(canUnsubscribe)).toEqual(["reports", "general", "digest"]);
});
