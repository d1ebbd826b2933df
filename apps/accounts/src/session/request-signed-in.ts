import { Refusal } from "./refusal.ts";
import { request } from "./request.ts";
import { freshTokens, refreshTokens, type Tokens } from "./tokens.ts";

type RequestOptions = { method?: "GET" | "POST" | "DELETE"; body?: Readonly<Record<string, unknown>> };

/**
 * Calls the sign-on service with the session. A 401 causes one refresh and one retry, except for auth/me
 * (§5.13). Throws a Refusal; `session_ended` if the session has ended.
 */
export async function requestSignedIn(
	authUrl: string,
	path: string,
	options: RequestOptions = {},
): Promise<unknown> {
	const send = (tokens: Tokens | undefined) => request(`${authUrl}${path}`, toInit(options, tokens));
	const tokens = await freshTokens(authUrl).catch(rethrowAsEnded);
	try {
		return await send(tokens);
	} catch (error) {
		const isMe = path.endsWith("/auth/me");
		if (!(error instanceof Refusal) || error.status !== 401 || isMe) throw error;
	}
	return send(await refreshTokens(authUrl).catch(rethrowAsEnded));
}

function rethrowAsEnded(error: unknown): never {
	const hasEnded = error instanceof Refusal && (error.status === 401 || error.status === 400);
	throw hasEnded ? new Refusal("session_ended", { status: 401, cause: error }) : error;
}

function toInit({ method = "GET", body }: RequestOptions, tokens: Tokens | undefined): RequestInit {
	const authorization = `Bearer ${tokens?.accessToken ?? ""}`;
	if (body === undefined) return { method, headers: { authorization } };
	const headers = { authorization, "content-type": "application/json" };
	return { method, headers, body: JSON.stringify(body) };
}
