import { ClientError } from "@lango/client";
import { followAccount, leaveAccount } from "@lango/interface";
import { useLayoutEffect } from "react";
import type { Me } from "./me.ts";
import { requestSignedIn } from "./request-signed-in.ts";

/**
 * Shows the language and the theme of the signed-in person, and stores with their account what they choose
 * later; undefined: no one is signed in.
 */
export function useAccountLook(authUrl: string, me: Me | undefined): void {
	// Before the page is painted, so that it does not change its language in sight.
	useLayoutEffect(() => {
		if (me === undefined) return;
		const { user_id: userId, profile } = me;
		const [locale, theme] = [profile.locale ?? undefined, profile.theme ?? undefined];
		const keep = (body: object) =>
			requestSignedIn(authUrl, "/api/v1/auth/me", { method: "PATCH", body }).then(
				() => true,
				(error: unknown) => {
					// Without the account the choice stays in this browser.
					if (error instanceof ClientError) return false;
					throw error;
				},
			);
		followAccount({ userId, locale, theme, keep });
		return leaveAccount;
	}, [authUrl, me]);
}
