import { randomUUID } from "node:crypto";
import type { OutletScope } from "@lango/contracts";
import { signJwt } from "@lango/tokens";
import { type Client, scopesIn, scopesSupported } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import type { TokenAnswer } from "./issue-tokens.ts";
import { readResource } from "./resource.ts";

/** A program renews its token by asking again, so it is short-lived; nothing else could end it. */
const clientTokenSeconds = 3_600;

type Needs = Pick<Dependencies, "keyRing" | "now" | "settings">;

/**
 * A token of a program's own (RFC 6749 §4.4, RFC 9068 §2.2): `sub` is the client's own UUID, there is no person, no
 * tenant and no session, and its permissions are its scope. Throws `unauthorized_client` to public clients, `invalid_scope`.
 */
export function grantClientToken(
	{ keyRing, settings, now }: Needs,
	{ client, scope, resource }: { client: Client; scope: string | undefined; resource: string | undefined },
): TokenAnswer {
	if (client.isPublic)
		throw oauthFailures.unauthorized_client({ message: "A public client has no token of its own." });
	const own = client.scopes.filter((one) => !(scopesSupported as readonly string[]).includes(one));
	const asked = scope === undefined ? own : [...new Set(scopesIn(scope))];
	const denied = asked.find((one) => !own.includes(one));
	if (denied !== undefined)
		throw oauthFailures.invalid_scope({ message: `The client may not have the scope ${denied} for itself.` });
	const iat = Math.floor(now().getTime() / 1_000);
	const granted = asked.join(" ");
	const accessToken = signJwt(keyRing.signing("ES256"), "at+jwt", {
		iss: settings.authUrl,
		sub: client.id,
		aud: readResource(resource, settings.audience) ?? settings.audience,
		client_id: client.clientId,
		idtyp: "app",
		scope: granted,
		permissions: asked,
		outlet_scope: "all" satisfies OutletScope,
		iat,
		exp: iat + clientTokenSeconds,
		jti: randomUUID(),
	});
	return { access_token: accessToken, token_type: "Bearer", expires_in: clientTokenSeconds, scope: granted };
}
