import { isRecord } from "../calls/client-error.ts";
import { sendRequest } from "../calls/send-request.ts";
import type { ClientConfig } from "../options/options.ts";
import { readTokens, type TokenResponse } from "./tokens.ts";

/** `me`: the answer of auth/me, if the service sends it along. */
export type Resumption = TokenResponse & { me: unknown };

type Resumed = {
	tenant?: string | undefined;
	/** The only session to continue. Without it, a browser without a session of the client gets a new one. */
	sid?: string | undefined;
};

/**
 * Continues the session of this browser by the cookie of the sign-on service; undefined if the person must
 * sign in first. The cookie proves nothing to services: they get the token. Throws ClientError.
 */
export async function resume(
	config: ClientConfig,
	{ tenant, sid }: Resumed,
): Promise<Resumption | undefined> {
	const response = await sendRequest(config, `${config.authUrl}/api/v1/auth/resume`, {
		method: "POST",
		hasCookies: true,
		body: new URLSearchParams({
			client_id: config.clientId,
			...(tenant !== undefined && { tenant }),
			...(sid !== undefined && { session_id: sid }),
		}),
	});
	if (!isRecord(response)) return undefined;
	return { ...readTokens(response, { now: config.now() }), me: response["me"] };
}
