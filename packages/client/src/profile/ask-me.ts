import { ask } from "../calls/ask.ts";
import { isOutletRefused } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import { keepOutlet } from "../outlets/kept-outlet.ts";
import { isInScope, outletScopeOf } from "../outlets/outlet-scope.ts";
import type { Tokens } from "../tokens/tokens.ts";

type Asking = { headers?: Record<string, string>; timeoutMilliseconds?: number };

/**
 * Asks an auth/me with the outlet of this front end (§5.15). If the outlet is refused, forgets it and
 * asks once more without it. Throws ClientError.
 */
export async function askMe(
	config: ClientConfig,
	{ accessToken, claims }: Tokens,
	{ address, headers, ...limit }: Asking & { address: string },
): Promise<unknown> {
	const outlet = keepOutlet(config);
	const send = (outletHeader: Record<string, string>) =>
		ask(config, address, {
			...limit,
			headers: { authorization: `Bearer ${accessToken}`, ...headers, ...outletHeader },
		});
	const outletId = outletToSend(outlet.get(), claims);
	if (config.service === undefined || outletId === undefined) return send({});
	try {
		return await send({ "x-outlet-id": outletId });
	} catch (error) {
		if (!isOutletRefused(error)) throw error;
		outlet.clear();
		return send({});
	}
}

/** The outlet of the session, or else the stored one if the token's scope has it. */
function outletToSend(stored: string | undefined, claims: Tokens["claims"]): string | undefined {
	if (claims.outlet_scope === "selected") return claims.outlet_id;
	return stored !== undefined && stored !== "all" && isInScope(outletScopeOf(claims), stored)
		? stored
		: undefined;
}
