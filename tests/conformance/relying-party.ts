import * as oauth from "oauth4webapi";
import type { Browser } from "./browser.ts";
import type { Client } from "./clients.ts";
import type { Issuer } from "./issuer.ts";

/** Plain http, on loopback only; it is the one thing the library is asked to overlook. */
export const insecure = { [oauth.allowInsecureRequests]: true };

type Members = Record<string, string | undefined>;
/** A request in progress: its address and what the client keeps to itself. */
type Asked = {
	url: URL;
	state: string;
	nonce: string | undefined;
	verifier: string;
	redirectUri: string;
};
export type Walked = {
	tokens: oauth.TokenEndpointResponse;
	claims: oauth.IDToken;
	callback: URL;
	signIns: number;
};

/**
 * A client made of oauth4webapi, which makes all checks that the standards require of a client and throws at
 * the first fault: state, `iss`, content types, token types, and every rule of OpenID Connect Core §3.1.3.7.
 */
export type RelyingParty = {
	as: oauth.AuthorizationServer;
	client: oauth.Client;
	authentication: oauth.ClientAuth;
	/** Makes an authorization request; members set to undefined are left out. */
	ask(members?: Members): Promise<Asked>;
	/** Checks the answer and trades its code. */
	finish(asked: Asked, callback: URL): Promise<oauth.TokenEndpointResponse>;
	/** Both, with a person who signs in where they have to. */
	walk(browser: Browser, members?: Members, email?: string): Promise<Walked>;
};

export async function makeRelyingParty(
	issuer: Issuer,
	registered: Client,
	{
		authenticateBy = oauth.ClientSecretBasic,
	}: { authenticateBy?: (secret: string) => oauth.ClientAuth } = {},
): Promise<RelyingParty> {
	const found = await oauth.discoveryRequest(new URL(issuer.url), insecure);
	const as = await oauth.processDiscoveryResponse(new URL(issuer.url), found);
	const client: oauth.Client = {
		client_id: registered.id,
		...(registered.idTokenAlgorithm && { id_token_signed_response_alg: registered.idTokenAlgorithm }),
	};
	const authentication = registered.secret === undefined ? oauth.None() : authenticateBy(registered.secret);
	const rp: RelyingParty = {
		as,
		client,
		authentication,
		async ask(members = {}) {
			const state = members.state ?? oauth.generateRandomState();
			const nonce = "nonce" in members ? members.nonce : oauth.generateRandomNonce();
			const verifier = oauth.generateRandomCodeVerifier();
			const all: Members = {
				response_type: "code",
				client_id: registered.id,
				redirect_uri: registered.redirectUris[0],
				scope: "openid",
				code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
				code_challenge_method: "S256",
				...members,
				state,
				nonce,
			};
			const url = new URL(as.authorization_endpoint ?? "");
			for (const [name, value] of Object.entries(all))
				if (value !== undefined) url.searchParams.set(name, value);
			return { url, state, nonce, verifier, redirectUri: all.redirect_uri ?? "" };
		},
		async finish({ state, nonce, verifier, redirectUri, url }, callback) {
			const answer = oauth.validateAuthResponse(as, client, callback, state);
			const hasChallenge = url.searchParams.has("code_challenge");
			const response = await oauth.authorizationCodeGrantRequest(
				as,
				client,
				authentication,
				answer,
				redirectUri,
				hasChallenge ? verifier : oauth.nopkce,
				insecure,
			);
			const maxAge = url.searchParams.get("max_age");
			const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
				...(nonce !== undefined && { expectedNonce: nonce }),
				...(maxAge !== null && { maxAge: Number(maxAge) }),
				requireIdToken: (url.searchParams.get("scope") ?? "").split(" ").includes("openid"),
			});
			if (tokens.id_token !== undefined)
				await oauth.validateApplicationLevelSignature(as, response, insecure);
			return tokens;
		},
		async walk(browser, members, email) {
			const asked = await rp.ask(members);
			const { callback, signIns } = await browser.authorize(asked.url, email);
			const tokens = await rp.finish(asked, callback);
			const claims = oauth.getValidatedIdTokenClaims(tokens) ?? ({} as oauth.IDToken);
			return { tokens, claims, callback, signIns };
		},
	};
	return rp;
}

/** The claims at the userinfo endpoint, as the library checks them. */
export async function askUserinfo({ as, client }: RelyingParty, { tokens, claims }: Walked) {
	const response = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
	return oauth.processUserInfoResponse(as, client, claims.sub, response);
}
