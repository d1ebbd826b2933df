import { ask } from "./ask.ts";
import { Refusal } from "./refusal.ts";
import { heldTokens, refreshTokens } from "./tokens.ts";

type Request = { method?: "GET" | "POST" | "DELETE"; body?: Readonly<Record<string, unknown>> };

/**
 * Asks the sign-on service as whoever is signed in. A token that is refused is refreshed once and the question asked once
 * more (§5.13). Throws a Refusal; `session_ended` when the session is over.
 */
export async function askSignedIn(authUrl: string, path: string, request: Request = {}): Promise<unknown> {
	const send = () => ask(`${authUrl}${path}`, toInit(request));
	try {
		return await send();
	} catch (error) {
		if (!(error instanceof Refusal) || error.status !== 401) throw error;
	}
	await refreshTokens(authUrl).catch((error: unknown) => {
		const isOver = error instanceof Refusal && (error.status === 401 || error.status === 400);
		throw isOver ? new Refusal("session_ended", { status: 401, cause: error }) : error;
	});
	return send();
}

function toInit({ method = "GET", body }: Request): RequestInit {
	const authorization = `Bearer ${heldTokens()?.accessToken ?? ""}`;
	if (body === undefined) return { method, headers: { authorization } };
	const headers = { authorization, "content-type": "application/json" };
	return { method, headers, body: JSON.stringify(body) };
}
