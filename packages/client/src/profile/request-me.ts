import { isOutletRefused } from "../calls/client-error.ts";
import { sendRequest } from "../calls/send-request.ts";
import type { ClientConfig } from "../options/options.ts";
import { isInScope, outletScopeOf, ownerOf } from "../outlets/outlet-scope.ts";
import { createOutletStore } from "../outlets/outlet-store.ts";
import type { Tokens } from "../tokens/tokens.ts";

type MeRequest = { address: string; headers?: Record<string, string>; timeoutMilliseconds?: number };

/**
 * Requests an auth/me with the outlet of this front end (§5.15). If the outlet is refused, removes the
 * stored outlet and repeats the request without it. Throws ClientError.
 */
export async function requestMe(
	config: ClientConfig,
	{ accessToken, claims }: Tokens,
	{ address, headers, ...limit }: MeRequest,
): Promise<unknown> {
	const outlet = createOutletStore(config);
	const send = (outletHeader: Record<string, string>) =>
		sendRequest(config, address, {
			...limit,
			headers: { authorization: `Bearer ${accessToken}`, ...headers, ...outletHeader },
		});
	const owner = ownerOf(claims);
	const outletId = outletToSend(outlet.get(owner), claims);
	if (config.service === undefined || outletId === undefined) return send({});
	try {
		return await send({ "x-outlet-id": outletId });
	} catch (error) {
		if (!isOutletRefused(error)) throw error;
		outlet.clear(owner);
		return send({});
	}
}

/** The outlet of the session, else the stored outlet if the scope of the token includes it. */
function outletToSend(stored: string | undefined, claims: Tokens["claims"]): string | undefined {
	if (claims.outlet_scope === "selected") return claims.outlet_id;
	return stored !== undefined && stored !== "all" && isInScope(outletScopeOf(claims), stored)
		? stored
		: undefined;
}
