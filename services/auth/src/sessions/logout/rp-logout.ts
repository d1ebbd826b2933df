import { hashSecret } from "@lango/tokens";
import { withMembers } from "../../clients/redirect-uri.ts";
import type { Dependencies } from "../../dependencies.ts";
import { resumeBrowserSession } from "../browser/browser-session.store.ts";
import { type IdTokenHint, readIdTokenHint } from "../grant/id-token-hint.ts";
import { endBrowser, endSession } from "./end-session.ts";

export type SignOutRequest = {
	idTokenHint: string | undefined;
	redirectUri: string | undefined;
	clientId: string | undefined;
	state: string | undefined;
	cookie: string | undefined;
	/** The user confirmed the sign-out on the page of this service. */
	isConfirmed: boolean;
	correlationId: string;
};

/** The answer to the browser: a redirect, the signed-out page, a confirmation page, or an error page. */
export type SignOutOutcome =
	| { kind: "redirect"; to: string }
	| { kind: "done" }
	| { kind: "ask" }
	| { kind: "refuse" };

type Needs = Pick<Dependencies, "clients" | "db" | "keyRing" | "now" | "settings">;

/**
 * Signs a person out on behalf of a client (RP-Initiated Logout §2). A valid hint for the signed-in user
 * (its expiry is ignored) ends the browser session; without one the user must confirm. The browser is
 * redirected only with a valid hint, and only to an address that exactly matches one registered for the
 * hint's client.
 */
export async function decideSignOut(dependencies: Needs, request: SignOutRequest): Promise<SignOutOutcome> {
	const hint = await readHint(dependencies, request);
	if (hint === "wrong") return { kind: "refuse" };
	const { db, now } = dependencies;
	const { cookie, isConfirmed, correlationId } = request;
	const tokenHash = cookie === undefined ? undefined : hashSecret(cookie);
	const here = tokenHash && (await resumeBrowserSession(db, { tokenHash, now: now() }));
	const isSure = isConfirmed || (hint !== undefined && here?.userId === hint.subject);
	if (here !== undefined && !isSure) return { kind: "ask" };

	const ending = { now: now(), because: "signed_out", correlationId } as const;
	if (tokenHash !== undefined) await endBrowser(db, { ...ending, browser: { tokenHash } });
	if (hint?.session !== undefined) {
		await endBrowser(db, { ...ending, browser: hint.session });
		// A session can outlive the row of its browser session, which is removed after its expiry.
		await endSession(db, { ...ending, ...hint.session });
	}
	const to = hint && (await returnAddress(dependencies, { hint, ...request }));
	return to === undefined ? { kind: "done" } : { kind: "redirect", to };
}

/**
 * The hint; `wrong` if it is not an ID token of this issuer or belongs to another client than the named
 * one.
 */
async function readHint(
	{ keyRing, settings }: Needs,
	{ idTokenHint, clientId }: SignOutRequest,
): Promise<IdTokenHint | undefined | "wrong"> {
	if (idTokenHint === undefined) return undefined;
	const hint = await readIdTokenHint(idTokenHint, { keys: keyRing.keys, issuer: settings.authUrl });
	return hint === undefined || (clientId !== undefined && clientId !== hint.clientId) ? "wrong" : hint;
}

async function returnAddress(
	{ clients }: Needs,
	{
		hint,
		redirectUri,
		state,
	}: { hint: IdTokenHint; redirectUri: string | undefined; state: string | undefined },
): Promise<string | undefined> {
	if (redirectUri === undefined) return undefined;
	const client = await clients.find(hint.clientId);
	if (client === undefined || !client.postLogoutRedirectUris.includes(redirectUri)) return undefined;
	return state === undefined ? redirectUri : withMembers(redirectUri, { state });
}
