import fc from "fast-check";
import { expect, test } from "vitest";
import { readMoment } from "./formats.ts";
import { escapeHtml, listTokens, parseLiquid, renderLiquid, type Target } from "./liquid.ts";

const formats = { locale: "en", timeZone: "Africa/Nairobi", currency: "KES" };
const render = (source: string, scope: object = {}, { target = "text", locale = "en" }: Choice = {}) =>
	renderLiquid(parseLiquid(source, target), scope, { ...formats, locale });
type Choice = { target?: Target; locale?: string };

const at = readMoment("2026-11-23T21:30:00Z");
const day = readMoment("2026-11-23");

test.each([
	["{{ at }}", "24 November 2026, 00:30", "24 Novemba 2026, 00:30"],
	["{{ at | date }}", "24 November 2026", "24 Novemba 2026"],
	["{{ at | date: 'time' }}", "00:30", "00:30"],
	["{{ at | upcase }}", "24 NOVEMBER 2026, 00:30", "24 NOVEMBA 2026, 00:30"],
	["{{ day }}", "23 November 2026", "23 Novemba 2026"],
	["{{ day | date: 'datetime' }}", "23 November 2026", "23 Novemba 2026"],
	["{{ 'tomorrow' | date }}", "tomorrow", "tomorrow"],
	["{{ n }}", "32,450.5", "32,450.5"],
	["{{ '32450' | number }}", "32,450", "32,450"],
	["{{ '32 t' | number }}", "32 t", "32 t"],
	["{{ n | money }}", "KES 32,450.50", "KES 32,450.50"],
	["{{ n | money: 'UGX' }}", "UGX 32,451", "UGX 32,451"],
	["{{ 'n/a' | money: 'KES' }}", "KES n/a", "KES n/a"],
	["{{ n | money: 'points' }}", "points 32,450.5", "points 32,450.5"],
	["{{ 1 | plural: 'day', 'days' }}", "day", "day"],
	["{{ 3 | plural: 'day', 'days' }}", "days", "days"],
	["{{ 'x' | plural: 'day', 'days' }}", "days", "days"],
	["{{ 'élan' | capitalize }}", "Élan", "Élan"],
	["{{ 'abcdef' | truncate: 4 }}", "abc…", "abc…"],
	["{{ '👍🏽👍🏽👍🏽' | truncate: 3 }}", "👍🏽…", "👍🏽…"],
	["{{ 'https://me@Example.com:8443/a?b=https://c.d' | host }}", "example.com:8443", "example.com:8443"],
	["{{ 'https://exаmple.com' | host }}", "xn--exmple-4nf.com", "xn--exmple-4nf.com"],
	["{{ 'example.com' | host }}{{ n | host }}", "", ""],
	["{{ '' | default: 'none' }}", "none", "none"],
	["{{ 'A' | downcase | escape }}", "a", "a"],
])("%s is %s, in Swahili %s", (source, english, swahili) => {
	const scope = { at, day, n: 32_450.5 };
	expect(render(source, scope)).toBe(english);
	expect(render(source, scope, { locale: "sw" })).toBe(swahili);
});

test.each([
	"2026-02-30",
	"2026-13-01T00:00:00Z",
	"2026-11-23 08:00",
	"23/11/2026",
	"2026-11-23T25:00:00Z",
	"",
])("%j is a text and not a date", (text) => {
	expect(readMoment(text)).toBeUndefined();
});

test("whatever a value is, it is one text of a page, and Liquid in it is not run", () => {
	const source = '<p title="{{ value }}">{{ value | default: "x" | escape }}</p>';
	fc.assert(
		fc.property(fc.string({ unit: "binary", minLength: 1 }), (value) => {
			const shown = escapeHtml(value);
			expect(shown.replaceAll("<br>", "")).not.toMatch(/[<>"'\n]/);
			expect(render(source, { value }, { target: "html" })).toBe(`<p title="${shown}">${shown}</p>`);
			expect(render("{{ value }}", { value: `{{ 1 }}${value}{% if %}` })).toBe(`{{ 1 }}${value}{% if %}`);
		}),
	);
});

test("quoted text of a template is escaped, too", () => {
	expect(render("{{ '<script>' }}", {}, { target: "html" })).toBe("&lt;script&gt;");
});

test("a missing variable is an error, but not where a default or a condition asks for it", () => {
	expect(() => render("{{ missing }}")).toThrow(/undefined variable/);
	expect(render("{{ missing | default: 'none' }}{% if missing %}x{% endif %}")).toBe("none");
});

test("members of prototypes are not read", () => {
	const scope = Object.create({ inherited: "x" });
	expect(() => render("{{ inherited }}", scope)).toThrow(/undefined variable/);
	expect(() => render("{{ constructor }}")).toThrow(/undefined variable/);
	expect(() => render("{{ name.constructor }}", { name: "a" })).toThrow(/undefined variable/);
});

test("a render ends at the limit of memory", () => {
	const items = Array.from({ length: 50 }, () => ({ title: "a".repeat(32_000) }));
	const source = "{% for item in items %}{{ item.title }}{% endfor %}";
	expect(() => render(source, { items })).toThrow(/memory alloc limit/);
	expect(() => render(source.replace("title }}", "title | upcase }}"), { items })).toThrow(
		/memory alloc limit/,
	);
});

test("a render ends at the limit of time", () => {
	const items = Array.from({ length: 100 }, (_, at) => at);
	const source = ["a", "b", "c"].reduce((body, name) => `{% for ${name} in items %}${body}{% endfor %}`, "");
	const parsed = parseLiquid(source, "text");
	expect(() => renderLiquid(parsed, { items }, { ...formats, msMax: 5 })).toThrow(/render limit/);
});

test("the tokens of a template are its outputs and tags", () => {
	expect(listTokens('a {{ x |  upcase }} <b>{%- if "}}" -%}c{% endif %}')).toEqual([
		"{{ x | upcase }}",
		'{%- if "}}" -%}',
		"{% endif %}",
	]);
});
