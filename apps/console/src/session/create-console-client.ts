import { type Client, createClient } from "@lango/client";
import { currentLanguage } from "@lango/interface";
import type { Settings } from "../settings.ts";
import { markSignedOut } from "./sign-out-mark.ts";

/**
 * The console's client. Refresh tokens stay in memory (§5.13): a page loaded anew goes through the sign-on service. It is a front end
 * of every service, so its outlet is kept under `console-selected-outlet-id` and no one service is asked who the person is.
 */
export function createConsoleClient({ authUrl, subscriptionsUrl, services }: Settings): Client {
	const { origin } = location;
	const client = createClient({
		authUrl,
		subscriptionUrl: subscriptionsUrl,
		clientId: "console-ui",
		service: { name: "console" },
		urls: Object.values(services),
		redirectUri: `${origin}/auth/callback`,
		tenantRedirectUri: `${origin}/{tenant}/auth/callback`,
		signedOutUri: `${origin}/`,
		uiLocales: () => [currentLanguage()],
	});
	client.onClear(markSignedOut);
	return client;
}
