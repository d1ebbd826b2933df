import { type Client, createClient } from "@lango/client";
import { currentLanguage, forgetAllKept } from "@lango/interface";
import type { Settings } from "../settings.ts";
import { followPerson } from "./follow-person.ts";
import { keepSessionHint } from "./session-hint.ts";
import { markSignedOut } from "./sign-out-mark.ts";

/**
 * Creates the console's client. Tokens stay in memory (§5.13): after a reload, the sign-on service issues
 * new ones by its cookie. The console belongs to all services, so its outlet is stored as
 * `console-selected-outlet-id` and no single service provides the profile.
 */
export function createConsoleClient({ authUrl, subscriptionsUrl, services }: Settings): Client {
	const { origin } = location;
	const client = createClient({
		authUrl,
		subscriptionUrl: subscriptionsUrl,
		clientId: "console-ui",
		isResumed: true,
		service: { name: "console" },
		urls: Object.values(services),
		redirectUri: `${origin}/auth/callback`,
		tenantRedirectUri: `${origin}/{tenant}/auth/callback`,
		signedOutUri: `${origin}/`,
		staysWhenExpired: true,
		uiLocales: () => [currentLanguage()],
	});
	client.onClear(markSignedOut);
	client.onClear((isSignOut) => {
		// A session that ended by itself loses nothing of what was entered.
		if (isSignOut) forgetAllKept();
	});
	keepSessionHint(client);
	followPerson(client, authUrl);
	return client;
}
