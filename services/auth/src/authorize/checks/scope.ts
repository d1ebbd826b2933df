import { apiScope } from "@lango/contracts";
import { type Client, scopesSupported } from "../../clients/client.ts";
import { oauthFailures } from "../../failures.ts";
import { type Parameters, parameter } from "../request.ts";

/**
 * RFC 6749 §3.3: each scope once, unknown ones left out (OpenID Connect Core §3.1.2.1); `invalid_scope` for one that the client
 * was not given. A first-party client has `lango.api` without a grant, so its grants do not name it.
 */
export function checkScope({ isFirstParty, scopes }: Client, parameters: Parameters): string {
	const asked = new Set((parameter(parameters, "scope") ?? "").split(" "));
	const known = scopesSupported.filter((scope) => asked.has(scope) && !(isFirstParty && scope === apiScope));
	const denied = known.find((scope) => !scopes.includes(scope));
	if (denied !== undefined)
		throw oauthFailures.invalid_scope({ message: `The client may not ask for the scope ${denied}.` });
	return known.join(" ");
}
