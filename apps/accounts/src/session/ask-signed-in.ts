import { ask } from "./ask.ts";
import { Refusal } from "./refusal.ts";
import { freshTokens, refreshTokens, type Tokens } from "./tokens.ts";

type Request = { method?: "GET" | "POST" | "DELETE"; body?: Readonly<Record<string, unknown>> };

/**
 * Asks the sign-on service as whoever is signed in. A token that is refused is refreshed once and the question asked once
 * more, except for auth/me (§5.13). Throws a Refusal; `session_ended` when the session is over.
 */
export async function askSignedIn(authUrl: string, path: string, request: Request = {}): Promise<unknown> {
	const send = (tokens: Tokens | undefined) => ask(`${authUrl}${path}`, toInit(request, tokens));
	const tokens = await freshTokens(authUrl).catch(tellOver);
	try {
		return await send(tokens);
	} catch (error) {
		const isMe = path.endsWith("/auth/me");
		if (!(error instanceof Refusal) || error.status !== 401 || isMe) throw error;
	}
	return send(await refreshTokens(authUrl).catch(tellOver));
}

function tellOver(error: unknown): never {
	const isOver = error instanceof Refusal && (error.status === 401 || error.status === 400);
	throw isOver ? new Refusal("session_ended", { status: 401, cause: error }) : error;
}

function toInit({ method = "GET", body }: Request, tokens: Tokens | undefined): RequestInit {
	const authorization = `Bearer ${tokens?.accessToken ?? ""}`;
	if (body === undefined) return { method, headers: { authorization } };
	const headers = { authorization, "content-type": "application/json" };
	return { method, headers, body: JSON.stringify(body) };
}
