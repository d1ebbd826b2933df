import { type Client, ClientError, type Profile } from "@lango/client";
import { followAccount, leaveAccount } from "@lango/interface";

/**
 * Shows the language and the theme of the signed-in person, and stores with their account what they choose
 * later. `authUrl` is the address of the sign-on service.
 */
export function followPerson(client: Pick<Client, "getState" | "subscribe" | "call">, authUrl: string): void {
	let followed: Profile | undefined;
	const keep = (change: object) =>
		client.call(`${authUrl}/api/v1/auth/me`, { method: "PATCH", body: change, outlet: "none" }).then(
			() => true,
			(error: unknown) => {
				// Without the account the choice stays in this browser.
				if (error instanceof ClientError) return false;
				throw error;
			},
		);
	client.subscribe(() => {
		const state = client.getState();
		const profile = state.status === "ready" || state.status === "pending" ? state.profile : undefined;
		if (profile === followed) return;
		followed = profile;
		if (profile === undefined) leaveAccount();
		else followAccount({ userId: profile.userId, locale: profile.locale, theme: profile.theme, keep });
	});
}
