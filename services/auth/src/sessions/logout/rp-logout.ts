import { hashSecret } from "@lango/tokens";
import { withMembers } from "../../clients/redirect-uri.ts";
import type { Dependencies } from "../../dependencies.ts";
import { resumeBrowserSession } from "../browser/browser-session.store.ts";
import { type IdTokenHint, readIdTokenHint } from "../grant/id-token-hint.ts";
import { endBrowser, endSession } from "./end-session.ts";

export type SignOutWish = {
	idTokenHint: string | undefined;
	redirectUri: string | undefined;
	clientId: string | undefined;
	state: string | undefined;
	cookie: string | undefined;
	/** The person said so on our own page. */
	isConfirmed: boolean;
	correlationId: string;
};

/** What the browser sees: it is sent back, told it is signed out, asked first, or told that the request was not right. */
export type SignOutOutcome =
	| { kind: "redirect"; to: string }
	| { kind: "done" }
	| { kind: "ask" }
	| { kind: "refuse" };

type Needs = Pick<Dependencies, "clients" | "db" | "keyRing" | "now" | "settings">;

/**
 * Signs a person out on behalf of a client (RP-Initiated Logout §2). A valid hint about the person who is signed in
 * (its expiry does not matter) ends the browser session; without one the person is asked. Only with a valid hint, and
 * to an address registered to the letter by the client it was made for, is the browser sent back.
 */
export async function decideSignOut(dependencies: Needs, wish: SignOutWish): Promise<SignOutOutcome> {
	const hint = await readHint(dependencies, wish);
	if (hint === "wrong") return { kind: "refuse" };
	const { db, now } = dependencies;
	const { cookie, isConfirmed, correlationId } = wish;
	const tokenHash = cookie === undefined ? undefined : hashSecret(cookie);
	const here = tokenHash && (await resumeBrowserSession(db, { tokenHash, now: now() }));
	const isSure = isConfirmed || (hint !== undefined && here?.userId === hint.subject);
	if (here !== undefined && !isSure) return { kind: "ask" };

	const ending = { now: now(), because: "signed_out", correlationId } as const;
	if (tokenHash !== undefined) await endBrowser(db, { ...ending, browser: { tokenHash } });
	if (hint?.sessionId !== undefined) {
		await endBrowser(db, { ...ending, browser: { sessionId: hint.sessionId } });
		// A session outlives its browser's row, which goes when it has had its time.
		await endSession(db, { ...ending, sessionId: hint.sessionId });
	}
	const to = hint && (await returnAddress(dependencies, { hint, ...wish }));
	return to === undefined ? { kind: "done" } : { kind: "redirect", to };
}

/** The hint, if there is one; `wrong` when it is no ID token of ours or was made for another client than the one named. */
async function readHint(
	{ keyRing, settings }: Needs,
	{ idTokenHint, clientId }: SignOutWish,
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
