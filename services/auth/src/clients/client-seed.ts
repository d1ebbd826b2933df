import { type SettingsOf, url } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { hashSecret } from "@lango/tokens";
import { upsertClient } from "./client.store.ts";
import { scopesSupported } from "./client.ts";

const because = "the URL of this front end; its callback addresses below it are registered at every start";

/** The address of each registered front end, from its variable `<CLIENT>_URL`. */
export const clientAddressSettings = {
	orderingUiUrl: url({ env: "ORDERING_UI_URL", default: "http://localhost:3010", because }),
	riderAppUrl: url({ env: "RIDER_APP_URL", default: "http://localhost:3011", because }),
	notificationsUiUrl: url({ env: "NOTIFICATIONS_UI_URL", default: "http://localhost:3012", because }),
	posUiUrl: url({ env: "POS_UI_URL", default: "http://localhost:3013", because }),
	inventoryUiUrl: url({ env: "INVENTORY_UI_URL", default: "http://localhost:3014", because }),
	subscriptionsUiUrl: url({ env: "SUBSCRIPTIONS_UI_URL", default: "http://localhost:3015", because }),
	treasuryUiUrl: url({ env: "TREASURY_UI_URL", default: "http://localhost:3016", because }),
	logisticsUiUrl: url({ env: "LOGISTICS_UI_URL", default: "http://localhost:3017", because }),
	marketflowUiUrl: url({ env: "MARKETFLOW_UI_URL", default: "http://localhost:3018", because }),
	cafeWebsiteUrl: url({ env: "CAFE_WEBSITE_URL", default: "http://localhost:3002", because }),
	consoleUrl: url({ env: "CONSOLE_UI_URL", default: "http://localhost:3001", because }),
};

const loopbackHosts: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The variables of the front ends with a loopback address. */
export const listLocalFrontEnds = (addresses: SettingsOf<typeof clientAddressSettings>): string[] =>
	(Object.keys(clientAddressSettings) as Array<keyof typeof clientAddressSettings>)
		.filter((name) => loopbackHosts.has(new URL(addresses[name]).hostname))
		.map((name) => clientAddressSettings[name].env ?? name);

type Addresses = SettingsOf<typeof clientAddressSettings> & { accountsUrl: string; authUrl: string };

const plain = "/auth/callback";
const tenant = "/{tenant}/auth/callback";

/** The registered clients and their callback paths (spec §2.7), and the suite's own console. */
// biome-ignore format: reads as the specification's table
const publicClients: ReadonlyArray<readonly [clientId: string, name: string, at: (addresses: Addresses) => readonly string[], paths: readonly string[]]> = [
	["ordering-ui",      "Ordering",      ({ orderingUiUrl }) => [orderingUiUrl],             [tenant]],
	["rider-app",        "Riders",        ({ riderAppUrl }) => [riderAppUrl],                 [plain]],
	["notifications-ui", "Notifications", ({ notificationsUiUrl }) => [notificationsUiUrl],   [plain, tenant]],
	["pos-ui",           "Point of sale", ({ posUiUrl }) => [posUiUrl],                       [tenant, plain]],
	["inventory-ui",     "Inventory",     ({ inventoryUiUrl }) => [inventoryUiUrl],           [tenant, plain]],
	["subscriptions-ui", "Subscriptions", ({ subscriptionsUiUrl }) => [subscriptionsUiUrl],   [tenant, plain]],
	["treasury-ui",      "Treasury",      ({ treasuryUiUrl }) => [treasuryUiUrl],             [tenant, plain]],
	["logistics-ui",     "Logistics",     ({ logisticsUiUrl }) => [logisticsUiUrl],           [plain]],
	["auth-ui",          "Sign-in pages", ({ accountsUrl, authUrl }) => [accountsUrl, authUrl], [plain]],
	["cafe-website",     "Café website",  ({ cafeWebsiteUrl }) => [cafeWebsiteUrl],           [plain]],
	["marketflow-ui",    "Marketflow",    ({ marketflowUiUrl }) => [marketflowUiUrl],         [plain, tenant]],
	["console-ui",       "Console",       ({ consoleUrl }) => [consoleUrl],                   [plain, tenant]],
];

/** The clients that are registered again at every start. */
export const builtInClients: ReadonlySet<string> = new Set(publicClients.map(([clientId]) => clientId));

/** Registers every front end; run at each start, it repairs wrong redirect addresses (spec §2.7). */
export async function seedClients(db: Database, addresses: Addresses): Promise<void> {
	for (const [clientId, name, at, paths] of publicClients) {
		const hosts = at(addresses);
		await upsertClient(db, {
			clientId,
			name,
			scopes: scopesSupported,
			isPublic: true,
			secretHash: null,
			isPkceRequired: true,
			idTokenAlgorithm: "RS256",
			isIdTokenAtRefresh: false,
			isFirstParty: true,
			redirectUris: hosts.flatMap((host) => paths.map((path) => `${host}${path}`)),
			postLogoutRedirectUris: hosts.map((host) => `${host}/`),
		});
	}
}

/** The confidential client of the demonstration: for tests and server-side apps on a developer's machine. */
export async function seedDemoClient(db: Database): Promise<void> {
	await upsertClient(db, {
		clientId: "demo-backend",
		name: "Demo backend",
		scopes: scopesSupported,
		isPublic: false,
		isPkceRequired: false,
		idTokenAlgorithm: "RS256",
		isIdTokenAtRefresh: true,
		isFirstParty: true,
		secretHash: hashSecret("demo-backend-secret"),
		redirectUris: ["http://localhost:5555/callback"],
		postLogoutRedirectUris: ["http://localhost:5555/"],
	});
}
