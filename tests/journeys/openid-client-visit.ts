/**
 * A person signs in through a front end that uses `openid-client`, a library of others. Run as a
 * program it takes its part as JSON in its first argument and prints what came of it, so that it can be run
 * in a process that trusts another certificate authority.
 */
import * as client from "openid-client";

export type Visit = {
	issuer: string;
	hospitalUrl: string;
	email: string;
	password: string;
	/** Only for an issuer on plain http. */
	allowInsecureRequests: boolean;
};

export type Visited = {
	cookie: string;
	claims: Record<string, unknown>;
	accessToken: string;
	refreshed: boolean;
	hospital: { status: number; body: Record<string, unknown> };
};

const redirectUri = "http://localhost:5555/callback";

/**
 * Discovers the issuer, asks for a code, signs in, comes back, trades the code, calls the hospital,
 * refreshes.
 */
export async function visit({
	issuer,
	hospitalUrl,
	email,
	password,
	allowInsecureRequests,
}: Visit): Promise<Visited> {
	const options = allowInsecureRequests ? { execute: [client.allowInsecureRequests] } : undefined;
	const config = await client.discovery(
		new URL(issuer),
		"demo-backend",
		"demo-backend-secret",
		undefined,
		options,
	);
	const pkceCodeVerifier = client.randomPKCECodeVerifier();
	const expectedState = client.randomState();
	const expectedNonce = client.randomNonce();
	const authorizationUrl = client.buildAuthorizationUrl(config, {
		redirect_uri: redirectUri,
		scope: "openid profile email offline_access",
		state: expectedState,
		nonce: expectedNonce,
		code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
		code_challenge_method: "S256",
	});
	const { callback, cookie } = await signInByHand(authorizationUrl, { issuer, email, password });
	const tokens = await client.authorizationCodeGrant(config, callback, {
		pkceCodeVerifier,
		expectedState,
		expectedNonce,
	});
	const claims = { ...tokens.claims() };
	const access = JSON.parse(Buffer.from(tokens.access_token.split(".")[1] ?? "", "base64url").toString());
	const me = await fetch(`${hospitalUrl}/api/v1/${access.tenant_slug}/hospital/auth/me`, {
		headers: { authorization: `Bearer ${tokens.access_token}` },
	});
	const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
	return {
		cookie,
		claims,
		accessToken: tokens.access_token,
		refreshed:
			refreshed.refresh_token !== tokens.refresh_token && refreshed.access_token !== tokens.access_token,
		hospital: { status: me.status, body: (await me.json()) as Record<string, unknown> },
	};
}

/**
 * What a browser does: goes to the sign-in page, posts the form there, comes back with the cookie, and is
 * sent on.
 */
async function signInByHand(
	authorizationUrl: URL,
	{ issuer, email, password }: { issuer: string; email: string; password: string },
) {
	const toSignIn = await fetch(authorizationUrl, { redirect: "manual" });
	const page = new URL(toSignIn.headers.get("location") ?? "");
	const returnTo = page.searchParams.get("return_to") ?? "";
	const signedIn = await fetch(`${issuer}/api/v1/auth/login`, {
		method: "POST",
		headers: { "content-type": "application/json", origin: page.origin },
		body: JSON.stringify({ email, password, tenant_slug: page.searchParams.get("tenant") ?? "" }),
	});
	if (!signedIn.ok) throw new Error(`not signed in: ${signedIn.status} ${await signedIn.text()}`);
	const cookie = signedIn.headers.get("set-cookie") ?? "";
	const back = await fetch(returnTo, { redirect: "manual", headers: { cookie: cookie.split(";")[0] ?? "" } });
	return { callback: new URL(back.headers.get("location") ?? ""), cookie };
}

if (import.meta.main) process.stdout.write(JSON.stringify(await visit(JSON.parse(process.argv[2] ?? "{}"))));
