import { expect, test } from "vitest";
import { addContent, draftOf, hasOwnVariables, readSamples, removeContent, toDraftBody } from "./draft.ts";
import type { Template, Version } from "./templates.queries.ts";

const version = (number: number, more: Partial<Version> = {}): Version => ({
	...{ version: number, updated_at: "2026-11-01T00:00:00Z", published_at: "2026-11-01T00:00:00Z" },
	variables: [
		{ name: "name", kind: "text" },
		{ name: "count", kind: "number" },
		{ name: "items", kind: "list", members: [{ name: "title", kind: "text" }] },
	],
	samples: { name: "Asha", count: 3, items: [{ title: "Rice" }] },
	contents: [{ channel: "sms", locale: "en", source: `Version ${number}` }],
	...more,
});
const template = (more: Partial<Template>): Template => ({
	...{ path: "shop/welcome", category: "general", origin: "own" },
	...{ live: version(1), draft: null, platform: null, ...more },
});

test("an author continues the draft, else what is in force", () => {
	expect(draftOf(template({ draft: version(2) })).contents[0]?.source).toBe("Version 2");
	expect(draftOf(template({})).contents[0]?.source).toBe("Version 1");
	expect(draftOf(template({ live: null })).contents).toEqual([]);
});

test("samples that are read as they were written stay the same values", () => {
	const draft = draftOf(template({}));
	expect(readSamples(draft)).toEqual({ values: version(1).samples, invalid: [] });
});

test("an empty sample is left out, and a list that is not JSON is invalid", () => {
	const draft = draftOf(template({}));
	const samples = { ...draft.samples, name: " ", items: "[{" };
	expect(readSamples({ ...draft, samples })).toEqual({ values: { count: 3 }, invalid: ["items"] });
	expect(readSamples({ ...draft, samples: { count: "1,200", items: "{}" } })).toEqual({
		...{ values: { count: "1,200" }, invalid: ["items"] },
	});
});

test("variables are sent only for a template of one's own", () => {
	const own = template({});
	expect(toDraftBody(draftOf(own), hasOwnVariables(own))).toHaveProperty("variables");
	for (const other of [
		template({ origin: "platform" }),
		template({ origin: "override", platform: version(1) }),
	])
		expect(toDraftBody(draftOf(other), hasOwnVariables(other))).not.toHaveProperty("variables");
});

test("contents stay in the order of channel and language", () => {
	const draft = addContent(draftOf(template({})), { channel: "email", locale: "sw", source: "" });
	expect(draft.contents.map(({ channel }) => channel)).toEqual(["email", "sms"]);
	expect(removeContent(draft, { channel: "email", locale: "sw" }).contents).toHaveLength(1);
});
