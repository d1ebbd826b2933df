import { Ajv, type ErrorObject } from "ajv";
import formats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import { chassisFailures, type Failure } from "../request/failure.ts";

/** `verbose` adds the schema to an error, for its `x-error`. */
const common = {
	removeAdditional: false,
	useDefaults: true,
	allErrors: false,
	strict: false,
	verbose: true,
} as const;

/** Longer regular expressions are not shown to callers. */
const shownPatternMax = 30;

/**
 * Bodies are not coerced. Queries, path parameters and headers, which are always text, are read as numbers
 * and booleans.
 */
export function installValidation(app: FastifyInstance): void {
	const strict = new Ajv({ ...common, coerceTypes: false });
	const lenient = new Ajv({ ...common, coerceTypes: "array" });
	for (const ajv of [strict, lenient]) formats.default(ajv);
	app.setValidatorCompiler(({ schema, httpPart }) =>
		(httpPart === "body" ? strict : lenient).compile(schema as object),
	);
}

/** The error that Fastify throws for a request that does not match its schema. */
export type ValidationError = Error & { validation: ErrorObject[]; validationContext?: string };

/** Whether Fastify threw the error for a request that does not match its schema. */
export function isValidationError(error: unknown): error is ValidationError {
	return error instanceof Error && "validation" in error && Array.isArray(error.validation);
}

/**
 * The failure for a request that does not match its schema. It always names the field. If the value breaks a
 * pattern, the text is the `x-error` of its schema: the end of a sentence that begins with the field's name.
 */
export function invalidInput({ validation, validationContext = "request" }: ValidationError): Failure {
	const fault = validation[0];
	const field = fault === undefined ? "" : fieldOf(fault);
	const problem = fault === undefined ? "is not valid" : problemOf(fault);
	const place = validationContext === "querystring" ? "query" : validationContext;
	return chassisFailures.invalid_input({
		message: field === "" ? `The ${place} ${problem}.` : `${field} ${problem}.`,
		fields: { field: field === "" ? place : field, in: place },
	});
}

function problemOf({ keyword, message = "is not valid", params, parentSchema }: ErrorObject): string {
	if (keyword === "additionalProperties") return "is not known here";
	if (keyword === "required") return "is missing";
	if (keyword !== "pattern") return message;
	const text: unknown = parentSchema?.["x-error"];
	if (typeof text === "string") return text;
	return String(params.pattern).length > shownPatternMax ? "has an invalid format" : message;
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
