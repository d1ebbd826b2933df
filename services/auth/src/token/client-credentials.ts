import { randomUUID } from "node:crypto";
import type { OutletScope } from "@lango/contracts";
import { signJwt } from "@lango/tokens";
import { type Client, scopesIn, scopesSupported } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import type { TokenAnswer } from "./issue-tokens.ts";
import { readResource } from "./resource.ts";

/** Short, because a program can request another token and the token cannot be revoked. */
const clientTokenSeconds = 3_600;

type Needs = Pick<Dependencies, "keyRing" | "now" | "settings">;

/**
 * Issues a client credentials token (RFC 6749 §4.4, RFC 9068 §2.2). `sub` is the client's UUID. The token
 * has no user, no tenant and no session, and its scopes are its permissions. Throws `unauthorized_client`
 * for public clients, and `invalid_scope`.
 */
export function grantClientToken(
	{ keyRing, settings, now }: Needs,
	{ client, scope, resource }: { client: Client; scope: string | undefined; resource: string | undefined },
): TokenAnswer {
	if (client.isPublic)
		throw oauthFailures.unauthorized_client({
			message: "A public client cannot use the client credentials grant.",
		});
	const own = client.scopes.filter((one) => !(scopesSupported as readonly string[]).includes(one));
	const asked = scope === undefined ? own : [...new Set(scopesIn(scope))];
	const denied = asked.find((one) => !own.includes(one));
	if (denied !== undefined)
		throw oauthFailures.invalid_scope({
			message: `The client is not allowed the scope ${denied} in a client credentials token.`,
		});
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
