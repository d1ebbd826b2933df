import { type Client, scopesSupported } from "../../clients/client.ts";
import { oauthFailures } from "../../failures.ts";
import { type Parameters, parameter } from "../request.ts";

/** RFC 6749 §3.3: each scope once, unknown ones left out (OpenID Connect Core §3.1.2.1); none the client may not have. */
export function checkScope(client: Client, parameters: Parameters): string {
	const asked = new Set((parameter(parameters, "scope") ?? "").split(" "));
	const known = scopesSupported.filter((scope) => asked.has(scope));
	const denied = known.find((scope) => !client.scopes.includes(scope));
	if (denied !== undefined)
		throw oauthFailures.invalid_scope({ message: `The client may not ask for the scope ${denied}.` });
	return known.join(" ");
}
