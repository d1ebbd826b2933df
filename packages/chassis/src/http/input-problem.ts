import type { ErrorObject } from "ajv";

type Params = Readonly<Record<string, unknown>>;

/** Longer regular expressions are not shown to callers. */
const shownPatternMax = 30;
/** A longer list of allowed values is not shown to callers. */
const shownValuesMax = 30;

const types: Readonly<Record<string, string>> = {
	string: "text",
	integer: "a whole number",
	number: "a number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
	null: "null",
};

const formats: Readonly<Record<string, string>> = {
	uuid: "must be a UUID",
	"date-time": "must be a date and time, for example 2026-03-01T08:00:00Z",
	date: "must be a date, for example 2026-03-01",
	uri: "must be an address, for example https://example.com",
	email: "must be an e-mail address",
};

const problems: Readonly<Record<string, (params: Params) => string>> = {
	required: () => "is missing",
	additionalProperties: () => "is not known here",
	type: ({ type }) => `must be ${[type].flat().map(nameType).join(" or ")}`,
	enum: ({ allowedValues }) => oneOf(Array.isArray(allowedValues) ? allowedValues : []),
	const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
	minLength: ({ limit }) =>
		limit === 1 ? "must not be empty" : `must have at least ${count(limit, "character")}`,
	maxLength: ({ limit }) => `must have at most ${count(limit, "character")}`,
	minimum: ({ limit }) => `must be at least ${limit}`,
	maximum: ({ limit }) => `must be at most ${limit}`,
	minItems: ({ limit }) => `must have at least ${count(limit, "item")}`,
	maxItems: ({ limit }) => `must have at most ${count(limit, "item")}`,
	additionalItems: ({ limit }) => `must have at most ${count(limit, "item")}`,
	uniqueItems: () => "must not have an item twice",
	minProperties: ({ limit }) => `must have at least ${count(limit, "member")}`,
	maxProperties: ({ limit }) => `must have at most ${count(limit, "member")}`,
	format: ({ format }) => formats[String(format)] ?? "has an invalid format",
	not: () => "has a value that is not allowed",
};

/** The keywords of a schema whose errors have a text, those of formats as `format:uuid`. For tests. */
export const explainedKeywords: ReadonlySet<string> = new Set([
	...Object.keys(problems),
	...Object.keys(formats).map((format) => `format:${format}`),
	"pattern",
]);

/**
 * What is wrong with a value that does not match its schema: the end of a sentence that begins with the name
 * of its field. A broken pattern has the text of its schema (`x-error`).
 */
export function problemOf({ keyword, params, parentSchema }: ErrorObject): string {
	if (keyword !== "pattern") return problems[keyword]?.(params) ?? "is not valid";
	const text: unknown = parentSchema?.["x-error"];
	if (typeof text === "string") return text;
	const pattern = String((params as Params)["pattern"]);
	return pattern.length > shownPatternMax ? "has an invalid format" : `must match the pattern ${pattern}`;
}

const nameType = (type: unknown) => types[String(type)] ?? String(type);

const count = (limit: unknown, noun: string) => `${limit} ${noun}${limit === 1 ? "" : "s"}`;

const oneOf = (values: readonly unknown[]) =>
	values.length > shownValuesMax
		? "is not one of the allowed values"
		: `must be one of: ${values.join(", ")}`;
