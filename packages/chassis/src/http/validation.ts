import { Ajv, type ErrorObject } from "ajv";
import formats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import { chassisFailures, type Failure } from "../request/failure.ts";

const common = { removeAdditional: false, useDefaults: true, allErrors: false, strict: false } as const;

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

/** What Fastify throws when a schema does not hold. */
export type ValidationError = Error & { validation: ErrorObject[]; validationContext?: string };

/** Whether an error is a schema that did not hold. */
export function isValidationError(error: unknown): error is ValidationError {
	return error instanceof Error && "validation" in error && Array.isArray(error.validation);
}

/** The failure for a request that does not match its schema. It always names the field. */
export function invalidInput({ validation, validationContext = "request" }: ValidationError): Failure {
	const fault = validation[0];
	const field = fault === undefined ? "" : fieldOf(fault);
	const what =
		fault?.keyword === "additionalProperties" ? "is not known here" : (fault?.message ?? "is not valid");
	const said = fault?.keyword === "required" ? "is missing" : what;
	const place = validationContext === "querystring" ? "query" : validationContext;
	return chassisFailures.invalid_input({
		message: field === "" ? `The ${place} ${said}.` : `${field} ${said}.`,
		fields: { field: field === "" ? place : field, in: place },
	});
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
