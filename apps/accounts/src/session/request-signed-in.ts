import { ClientError, type Request, type Tokens } from "@lango/client";
import { request } from "./request.ts";
import { freshTokens, refreshTokens } from "./tokens.ts";

/**
 * Calls the sign-on service with the session. A 401 causes one refresh and one retry, except for auth/me
 * (§5.13). Throws ClientError; `session_ended` if the session has ended.
 */
export async function requestSignedIn(
	authUrl: string,
	path: string,
	options: Request = {},
): Promise<unknown> {
	const send = (tokens: Tokens | undefined) => {
		const headers = { authorization: `Bearer ${tokens?.accessToken ?? ""}` };
		return request(`${authUrl}${path}`, { ...options, headers });
	};
	const tokens = await freshTokens(authUrl).catch(rethrowAsEnded);
	try {
		return await send(tokens);
	} catch (error) {
		const isMe = path.endsWith("/auth/me");
		if (!(error instanceof ClientError) || error.status !== 401 || isMe) throw error;
	}
	return send(await refreshTokens(authUrl).catch(rethrowAsEnded));
}

function rethrowAsEnded(error: unknown): never {
	const hasEnded = error instanceof ClientError && (error.status === 401 || error.status === 400);
	throw hasEnded ? new ClientError("session_ended", { status: 401, cause: error }) : error;
}
