import { finishSignIn, prepareSignIn } from "@lango/client";
import { clientId, configOf } from "./request.ts";
import { setTokens } from "./tokens.ts";

const invitationKey = `lango:${clientId}:invitation`;

export type SignInReturn = {
	/** The path of these pages to open afterwards. */
	to: string;
	/** An invitation to accept after the sign-in. */
	invitation?: string | undefined;
};

/**
 * Redirects to the sign-on service, which does not ask again for a password if the browser has a session
 * (§5.1). The invitation is stored in this tab and used once.
 */
export async function redirectToSignIn(authUrl: string, { to, invitation }: SignInReturn): Promise<void> {
	const config = configOf(authUrl);
	if (invitation === undefined) config.tab.remove(invitationKey);
	else config.tab.set(invitationKey, invitation);
	location.assign(await prepareSignIn(config, { returnTo: to }));
}

/** Completes a sign-in from the callback's address and stores its tokens. Throws ClientError. */
export async function completeSignIn(authUrl: string, address: string): Promise<SignInReturn> {
	const config = configOf(authUrl);
	const invitation = config.tab.get(invitationKey);
	config.tab.remove(invitationKey);
	const { returnTo, ...received } = await finishSignIn(config, address);
	setTokens(received);
	return { to: returnTo, invitation };
}
