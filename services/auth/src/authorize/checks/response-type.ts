import { oauthFailures } from "../../failures.ts";
import { type Parameters, parameter, requiredParameter } from "../request.ts";

/** RFC 6749 §3.1.1: only the code flow; OpenID Connect Core §6: no request objects. */
export function checkResponseType(parameters: Parameters): void {
	if (parameter(parameters, "request") !== undefined) throw oauthFailures.request_not_supported();
	if (parameter(parameters, "request_uri") !== undefined) throw oauthFailures.request_uri_not_supported();
	if (requiredParameter(parameters, "response_type") !== "code")
		throw oauthFailures.unsupported_response_type();
	const mode = parameter(parameters, "response_mode");
	if (mode !== undefined && mode !== "query" && mode !== "form_post")
		throw oauthFailures.invalid_request({ message: "response_mode is query or form_post." });
}
