import { currentLanguage } from "@lango/interface";
import { postForm } from "./ask.ts";
import { clientId, holdTokens, type Tokens } from "./tokens.ts";

/** What a tab remembers while the browser is at the sign-on service. */
type Leaving = { state: string; verifier: string; to: string; invitation?: string };

const storageKey = "lango-sign-in";
const scope = "openid profile email offline_access";

export type Errand = {
	/** The page to come back to: a path of these pages. */
	to: string;
	/** An invitation that is accepted once it is known who does. */
	invitation?: string | undefined;
};

/**
 * Sends the browser to the sign-on service and back (§5.1): whoever is signed in there is not asked again. The verifier
 * stays in this tab and serves once.
 */
export async function leaveToSignIn(authUrl: string, { to, invitation }: Errand): Promise<void> {
	const state = hex(randomBytes(16));
	const verifier = base64url(randomBytes(32));
	const leaving: Leaving = { state, verifier, to, ...(invitation === undefined ? {} : { invitation }) };
	sessionStorage.setItem(storageKey, JSON.stringify(leaving));
	const query = new URLSearchParams({
		response_type: "code",
		client_id: clientId,
		redirect_uri: callbackUrl(),
		scope,
		state,
		code_challenge: base64url(
			new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))),
		),
		code_challenge_method: "S256",
		ui_locales: currentLanguage(),
	});
	location.assign(`${authUrl}/api/v1/authorize?${query}`);
}

/** Why a sign-in that came back is not taken: by whom it was refused, or that it belongs to no sign-in of this tab. */
export class SignInFailed extends Error {
	readonly reason: string;

	constructor(reason: string) {
		super(reason);
		this.name = "SignInFailed";
		this.reason = reason;
	}
}

/** Takes the answer of the sign-on service: checks the state, trades the code. Throws SignInFailed and Refusal. */
export async function comeBack(
	authUrl: string,
	answer: URLSearchParams,
): Promise<Errand & { tokens: Tokens }> {
	const leaving = takeLeaving();
	if (leaving === undefined || answer.get("state") !== leaving.state) throw new SignInFailed("foreign");
	if (answer.has("iss") && answer.get("iss") !== authUrl) throw new SignInFailed("foreign");
	const error = answer.get("error");
	const code = answer.get("code");
	if (error !== null || code === null) throw new SignInFailed(error ?? "foreign");
	const tokens = holdTokens(
		await postForm(`${authUrl}/api/v1/token`, {
			grant_type: "authorization_code",
			code,
			code_verifier: leaving.verifier,
			client_id: clientId,
			redirect_uri: callbackUrl(),
		}),
	);
	return { tokens, to: leaving.to, invitation: leaving.invitation };
}

/** Forgets it before it is used: it serves once. */
function takeLeaving(): Leaving | undefined {
	const text = sessionStorage.getItem(storageKey);
	sessionStorage.removeItem(storageKey);
	return text === null ? undefined : (JSON.parse(text) as Leaving);
}

function callbackUrl(): string {
	return `${location.origin}/auth/callback`;
}

function randomBytes(length: number): Uint8Array {
	return crypto.getRandomValues(new Uint8Array(length));
}

function hex(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function base64url(bytes: Uint8Array): string {
	const text = btoa(String.fromCharCode(...bytes));
	return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
