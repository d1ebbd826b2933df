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
	["the pattern, if it is short", { pattern: "^[A-Z]{3}$" }, 'value must match pattern "^[A-Z]{3}$".'],
	["no regular expression that is long", { pattern: long }, "value has an invalid format."],
])("an error for a value that breaks a pattern has %s", async (_what, options, text) => {
	expect(await errorTextOf(Type.String(options), "A B")).toBe(text);
});

test("the text of a pattern also applies where null is allowed, and not to errors of other rules", async () => {
	const word = Type.String({ minLength: 2, pattern: "^[a-z]*$", "x-error": "must be a word" });
	expect(await errorTextOf(Type.Union([word, Type.Null()]), "A B")).toBe("value must be a word.");
	expect(await errorTextOf(word, "a")).toBe("value must NOT have fewer than 2 characters.");
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
