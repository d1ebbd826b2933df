/**
 * The schemas of routes: each is valid, although a service compiles it only for the first request. An error
 * text never contains a long regular expression, so each long pattern of a request has a text of its own
 * (`x-error`). Each keyword that refuses a value has a plain text.
 */
import { compileSchemas, explainedKeywords } from "@lango/chassis";
import type { FastifySchema } from "fastify";
import { expect, test } from "vitest";
import { parts } from "./up.ts";

const patternLengthMax = 30;

type Named = readonly [name: string, pattern: string];

/** The patterns in a schema that are too long to be shown and have no text, with the member they apply to. */
function unexplainedIn(schema: unknown, name: string): Named[] {
	if (typeof schema !== "object" || schema === null) return [];
	const { pattern, "x-error": text, ...rest } = schema as Record<string, unknown>;
	const isUnexplained =
		typeof pattern === "string" && pattern.length > patternLengthMax && typeof text !== "string";
	const inner = Object.entries(rest).flatMap(([key, value]) =>
		unexplainedIn(value, Number.isInteger(Number(key)) || isKeyword(key) ? name : key),
	);
	return isUnexplained ? [[name, pattern], ...inner] : inner;
}

const isKeyword = (key: string) => ["properties", "items", "anyOf", "allOf", "oneOf"].includes(key);

const services = parts.services.map(({ service }) => ({ name: service.name, service }));

test.each(services)("the schemas of every route of $name are valid", ({ name, service }) => {
	for (const { method, url, schema } of service.routes.flatMap((group) => group({ name })))
		expect(() => compileSchemas(schema as FastifySchema), `${method} ${url}`).not.toThrow();
});

test("a schema that is not valid is refused", () => {
	expect(() => compileSchemas({ body: { type: "text" } })).toThrow("schema is invalid");
	expect(() => compileSchemas({ response: { 200: { type: "text" } } })).toThrow("type");
});

test.each(services)(
	"every long pattern in the requests of $name has a text for its error",
	({ name, service }) => {
		const routes = service.routes.flatMap((group) => group({ name }));
		expect(routes.length).toBeGreaterThan(0);
		const unexplained = routes.flatMap(({ method, url, schema }) => {
			const { body, params, querystring, headers } = schema as FastifySchema;
			return unexplainedIn({ body, params, querystring, headers }, "").map(
				([member, pattern]) => `${method} ${url}: ${member} ${pattern}`,
			);
		});
		expect(unexplained, 'add "x-error", the end of a sentence that begins with the name').toEqual([]);
	},
);

test("a long pattern without a text is found at any depth, and one with a text is accepted", () => {
	const pattern = "x".repeat(patternLengthMax + 1);
	const items = { anyOf: [{ type: "string", pattern }, { type: "null" }] };
	const body = {
		properties: { codes: { type: "array", items }, named: { pattern, "x-error": "must be x" } },
	};
	expect(unexplainedIn(body, "")).toEqual([["codes", pattern]]);
});

const lists = ["items", "anyOf", "allOf", "oneOf", "not", "additionalItems"];
const maps = ["properties", "patternProperties"];
/** They refuse nothing themselves: a name for people, a default, or what holds further schemas. */
const silent = new Set(["default", "description", "examples", "x-error", ...lists, ...maps]);

/** The keywords of a schema that refuse values, those of formats as `format:uuid`. */
function keywordsIn(schema: unknown): string[] {
	if (typeof schema !== "object" || schema === null) return [];
	if (Array.isArray(schema)) return schema.flatMap(keywordsIn);
	return Object.entries(schema).flatMap(([key, value]) => {
		const own = silent.has(key) && key !== "not" ? [] : [key === "format" ? `format:${value}` : key];
		if (maps.includes(key)) return Object.values(value as object).flatMap(keywordsIn);
		return lists.includes(key) ? [...own, ...keywordsIn(value)] : own;
	});
}

test.each(services)(
	"every keyword in the requests of $name has a plain text for its error",
	({ name, service }) => {
		const keywords = service.routes
			.flatMap((group) => group({ name }))
			.flatMap(({ schema }) => {
				const { body, params, querystring, headers } = schema as FastifySchema;
				return [body, params, querystring, headers].flatMap(keywordsIn);
			});
		expect(keywords).toContain("minLength");
		expect([...new Set(keywords)].filter((keyword) => !explainedKeywords.has(keyword))).toEqual([]);
	},
);

test("a keyword without a text is found at any depth", () => {
	const items = { anyOf: [{ type: "string", format: "ipv4" }, { not: { multipleOf: 2 } }] };
	const found = keywordsIn({ properties: { codes: { type: "array", items } } });
	expect(found).toEqual(["type", "type", "format:ipv4", "not", "multipleOf"]);
});
