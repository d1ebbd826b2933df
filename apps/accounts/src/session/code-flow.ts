import { currentLanguage } from "@lango/interface";
import { postForm } from "./request.ts";
import { clientId, setTokens, type Tokens } from "./tokens.ts";

/** The data that a tab stores during a sign-in. */
type PendingSignIn = { state: string; verifier: string; to: string; invitation?: string };

const storageKey = "lango-sign-in";
const scope = "openid profile email offline_access";

export type SignInReturn = {
	/** The path of these pages to open afterwards. */
	to: string;
	/** An invitation to accept after the sign-in. */
	invitation?: string | undefined;
};

/**
 * Redirects to the sign-on service, which does not ask again for a password if the browser has a session
 * (§5.1). The verifier is stored in this tab and used once.
 */
export async function redirectToSignIn(authUrl: string, { to, invitation }: SignInReturn): Promise<void> {
	const state = hex(randomBytes(16));
	const verifier = base64url(randomBytes(32));
	const pending: PendingSignIn = { state, verifier, to, ...(invitation === undefined ? {} : { invitation }) };
	sessionStorage.setItem(storageKey, JSON.stringify(pending));
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

/** A failed callback. `reason` is the error of the sign-on service, or `foreign` for another sign-in. */
export class SignInFailed extends Error {
	readonly reason: string;

	constructor(reason: string) {
		super(reason);
		this.name = "SignInFailed";
		this.reason = reason;
	}
}

/** Completes a sign-in: checks the state and exchanges the code. Throws SignInFailed and Refusal. */
export async function completeSignIn(
	authUrl: string,
	parameters: URLSearchParams,
): Promise<SignInReturn & { tokens: Tokens }> {
	const pending = takePendingSignIn();
	if (pending === undefined || parameters.get("state") !== pending.state) throw new SignInFailed("foreign");
	if (parameters.has("iss") && parameters.get("iss") !== authUrl) throw new SignInFailed("foreign");
	const error = parameters.get("error");
	const code = parameters.get("code");
	if (error !== null || code === null) throw new SignInFailed(error ?? "foreign");
	const tokens = setTokens(
		await postForm(`${authUrl}/api/v1/token`, {
			grant_type: "authorization_code",
			code,
			code_verifier: pending.verifier,
			client_id: clientId,
			redirect_uri: callbackUrl(),
		}),
	);
	return { tokens, to: pending.to, invitation: pending.invitation };
}

/** Reads and removes the pending sign-in. */
function takePendingSignIn(): PendingSignIn | undefined {
	const text = sessionStorage.getItem(storageKey);
	sessionStorage.removeItem(storageKey);
	return text === null ? undefined : (JSON.parse(text) as PendingSignIn);
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
