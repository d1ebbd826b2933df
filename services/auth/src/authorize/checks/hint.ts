import type { Dependencies } from "../../dependencies.ts";
import { oauthFailures } from "../../failures.ts";
import { readIdTokenHint } from "../../sessions/grant/id-token-hint.ts";
import { type Parameters, parameter } from "../request.ts";

/** OpenID Connect Core §3.1.2.1, `id_token_hint`: whom the client believes to be signed in, by a token we made. */
export async function checkHint(
	{ keyRing, settings }: Dependencies,
	parameters: Parameters,
): Promise<string | undefined> {
	const text = parameter(parameters, "id_token_hint");
	if (text === undefined) return undefined;
	const hint = await readIdTokenHint(text, { keys: keyRing.keys, issuer: settings.authUrl });
	if (hint === undefined)
		throw oauthFailures.invalid_request({ message: "id_token_hint is no ID token of this issuer." });
	return hint.subject;
}
