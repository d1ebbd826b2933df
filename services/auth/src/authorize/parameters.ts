import { oauthFailures } from "../failures.ts";

/** The parameters of an authorization request as the query or the form has them. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * A parameter's value; an empty one counts as absent (RFC 6749 §3.1). Throws `invalid_request` if it occurs
 * twice.
 */
export function parameter(parameters: Parameters, name: string): string | undefined {
	const value = parameters[name];
	if (value === undefined || value === "") return undefined;
	if (typeof value !== "string")
		throw oauthFailures.invalid_request({ message: `${name} is given more than once.` });
	return value;
}

/** The value of a required parameter. Throws `invalid_request` if it is missing or occurs twice. */
export function requiredParameter(parameters: Parameters, name: string): string {
	const value = parameter(parameters, name);
	if (value === undefined) throw oauthFailures.invalid_request({ message: `${name} is missing.` });
	return value;
}
