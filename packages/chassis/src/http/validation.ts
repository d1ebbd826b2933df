import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import fastJsonStringify, { type Schema } from "fast-json-stringify";
import type { FastifyInstance, FastifySchema } from "fastify";
import { chassisFailures, type Failure } from "../request/failure.ts";
import { problemOf } from "./input-problem.ts";

/**
 * `verbose` adds the schema to an error, for its `x-error`. The schemas are not validated themselves: a test
 * validates all of them (`tools/tidy-schemas.test.ts`), and compiling the schema of schemas takes long.
 * Validation stops at the first error: a failure names one field, and a body with many errors costs no more
 * than one with a single error. The forms of the pages find all of theirs before they send.
 */
const common = {
	removeAdditional: false,
	useDefaults: true,
	allErrors: false,
	strict: false,
	verbose: true,
	meta: false,
	validateSchema: false,
} as const;

const strict = lazily(() => createAjv({ coerceTypes: false }));
const lenient = lazily(() => createAjv({ coerceTypes: "array" }));
const serializers = new WeakMap<object, (value: object) => string>();

/**
 * Bodies are not coerced. Queries, path parameters and headers, which are always text, are read as numbers
 * and booleans. A schema is compiled by the first request that needs it: a service has hundreds, and a start
 * would wait for all of them. Servers of one process share what was compiled.
 */
export function installValidation(app: FastifyInstance): void {
	app.setValidatorCompiler(({ schema, httpPart }) =>
		validateLater(() => (httpPart === "body" ? strict : lenient)().compile(schema as object)),
	);
	app.setSerializerCompiler(
		({ schema }) =>
			(value: object) =>
				serializerOf(schema as Schema & object)(value),
	);
}

function serializerOf(schema: Schema & object): (value: object) => string {
	const known = serializers.get(schema);
	if (known !== undefined) return known;
	const made = fastJsonStringify(schema);
	serializers.set(schema, made);
	return made;
}

/**
 * Compiles the schemas of a route, for tests. Throws an Error if one of them is not valid.
 */
export function compileSchemas({ body, querystring, params, headers, response = {} }: FastifySchema): void {
	const ajv = createAjv({ meta: true, validateSchema: true });
	for (const schema of [body, querystring, params, headers])
		if (schema !== undefined) ajv.compile(schema as object);
	for (const schema of Object.values(response as object)) fastJsonStringify(schema as Schema);
}

function createAjv(options: Options): Ajv {
	const ajv = new Ajv({ ...common, ...options });
	formats.default(ajv);
	return ajv;
}

/** Fastify reads the errors of a validation from the function. */
function validateLater(compile: () => ValidateFunction): ValidatorOfFastify {
	const compiled = lazily(compile);
	const validate: ValidatorOfFastify = (value) => {
		const check = compiled();
		const isValid = check(value);
		validate.errors = check.errors ?? null;
		return isValid;
	};
	return validate;
}

type ValidatorOfFastify = { (value: unknown): boolean; errors?: ErrorObject[] | null };

/** Calls `create` once, when its result is first needed. */
function lazily<T extends object>(create: () => T): () => T {
	let created: T | undefined;
	return () => {
		created ??= create();
		return created;
	};
}

/** The error that Fastify throws for a request that does not match its schema. */
export type ValidationError = Error & { validation: ErrorObject[]; validationContext?: string };

/** Whether Fastify threw the error for a request that does not match its schema. */
export function isValidationError(error: unknown): error is ValidationError {
	return error instanceof Error && "validation" in error && Array.isArray(error.validation);
}

/**
 * The failure for a request that does not match its schema. It always names the field, and of a member of
 * a list `items` the number of the item.
 */
export function invalidInput({ validation, validationContext = "request" }: ValidationError): Failure {
	const fault = validation[0];
	const field = fault === undefined ? "" : fieldOf(fault);
	const problem = fault === undefined ? "is not valid" : problemOf(fault);
	const place = validationContext === "querystring" ? "query" : validationContext;
	return chassisFailures.invalid_input({
		message: field === "" ? `The ${place} ${problem}.` : `${field} ${problem}.`,
		fields: { ...namesOf(field === "" ? place : field), in: place },
	});
}

/** A member of a list of items: its number from 0, and its field. */
function namesOf(path: string): { field: string; item?: number } {
	const [, item, field] = /^items\.(\d+)\.(.+)$/.exec(path) ?? [];
	return item === undefined || field === undefined ? { field: path } : { field, item: Number(item) };
}

function fieldOf({ instancePath, params }: ErrorObject): string {
	const last =
		(params as Record<string, unknown>).missingProperty ??
		(params as Record<string, unknown>).additionalProperty;
	return [
		...instancePath.split("/").filter((part) => part !== ""),
		...(typeof last === "string" ? [last] : []),
	].join(".");
}
