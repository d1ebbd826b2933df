import Fastify from "fastify";
import Type from "typebox";
import { expect, test } from "vitest";
import { installValidation, invalidInput, type ValidationError } from "./validation.ts";

const long = "^[a-z][a-z0-9]{1,20}(-[a-z][a-z0-9]{1,20})*$";

/** The text of the error for a body of one member, `value`. */
async function errorTextOf(schema: Type.TSchema, value: unknown): Promise<string> {
	const app = Fastify();
	installValidation(app);
	app.setErrorHandler((error) => ({ text: invalidInput(error as ValidationError).message }));
	app.post("/", { schema: { body: Type.Object({ value: schema }) } }, async () => ({ text: "valid" }));
	const response = await app.inject({ method: "POST", url: "/", payload: { value } });
	return response.json().text;
}

test.each([
	[
		"its text",
		{ pattern: long, "x-error": "must be words with hyphens" },
		"value must be words with hyphens.",
	],
	["the pattern, if it is short", { pattern: "^[A-Z]{3}$" }, "value must match the pattern ^[A-Z]{3}$."],
	["no regular expression that is long", { pattern: long }, "value has an invalid format."],
])("an error for a value that breaks a pattern has %s", async (_what, options, text) => {
	expect(await errorTextOf(Type.String(options), "A B")).toBe(text);
});

test("the text of a pattern also applies where null is allowed, and not to errors of other rules", async () => {
	const word = Type.String({ minLength: 2, pattern: "^[a-z]*$", "x-error": "must be a word" });
	expect(await errorTextOf(Type.Union([word, Type.Null()]), "A B")).toBe("value must be a word.");
	expect(await errorTextOf(word, "a")).toBe("value must have at least 2 characters.");
});

const letters = [..."abcdefghijklmnopqrstuvwxyz12345"];
const time = "must be a date and time, for example 2026-03-01T08:00:00Z";

test.each([
	["must be text", Type.String(), 1],
	["must be a whole number", Type.Integer(), 1.5],
	["must be a number", Type.Number(), "1"],
	["must be true or false", Type.Boolean(), "yes"],
	["must be a list", Type.Array(Type.String()), "a"],
	["must be an object", Type.Object({}), []],
	["must be null", Type.Null(), 1],
	["must be text or null", { type: ["string", "null"] }, 1],
	["must be one of: card, phone", Type.Enum(["card", "phone"]), "cash"],
	["must be one of: en, sw", Type.Union([Type.Enum(["en", "sw"]), Type.Null()]), "de"],
	["is not one of the allowed values", Type.Enum(letters), "?"],
	['must be "usage"', Type.Literal("usage"), "money"],
	["must not be empty", Type.String({ minLength: 1 }), ""],
	["must have at least 3 characters", Type.String({ minLength: 3 }), "ab"],
	["must have at most 1 character", Type.String({ maxLength: 1 }), "ab"],
	["must be at least 1", Type.Integer({ minimum: 1 }), 0],
	["must be at most 100", Type.Integer({ maximum: 100 }), 101],
	["must have at least 1 item", Type.Array(Type.String(), { minItems: 1 }), []],
	["must have at most 1 item", Type.Array(Type.String(), { maxItems: 1 }), ["a", "b"]],
	["must have at most 1 item", Type.Tuple([Type.String()]), ["a", "b"]],
	["must not have an item twice", Type.Array(Type.String(), { uniqueItems: true }), ["a", "a"]],
	["must have at least 1 member", Type.Object({}, { minProperties: 1 }), {}],
	["must have at most 0 members", Type.Object({}, { maxProperties: 0 }), { a: 1 }],
	["has a value that is not allowed", { not: { const: 0 } }, 0],
	["must be a UUID", Type.String({ format: "uuid" }), "1"],
	[time, Type.String({ format: "date-time" }), "today"],
	["must be a date, for example 2026-03-01", Type.String({ format: "date" }), "today"],
	["must be an address, for example https://example.com", Type.String({ format: "uri" }), "here"],
	["must be an e-mail address", Type.String({ format: "email" }), "amina"],
])("an error has a plain text: %s", async (problem, schema, value) => {
	expect(await errorTextOf(schema as Type.TSchema, value)).toBe(`value ${problem}.`);
});

test("a missing and an unknown member are named", async () => {
	const schema = Type.Object({ name: Type.String() }, { additionalProperties: false });
	expect(await errorTextOf(schema, {})).toBe("value.name is missing.");
	expect(await errorTextOf(schema, { name: "a", nom: "b" })).toBe("value.nom is not known here.");
});

test("an error of a member of a list of items has the number of the item, and the field within it", async () => {
	const app = Fastify();
	installValidation(app);
	app.setErrorHandler((error) => invalidInput(error as ValidationError).fields);
	const body = Type.Object({ items: Type.Array(Type.Object({ amount: Type.Integer({ minimum: 1 }) })) });
	app.post("/", { schema: { body } }, async () => ({}));
	const fieldsOf = async (items: unknown) =>
		(await app.inject({ method: "POST", url: "/", payload: { items } })).json();
	expect(await fieldsOf([{ amount: 1 }, { amount: 0 }])).toEqual({ field: "amount", item: 1, in: "body" });
	expect(await fieldsOf([{}])).toEqual({ field: "amount", item: 0, in: "body" });
	expect(await fieldsOf("none")).toEqual({ field: "items", in: "body" });
});
