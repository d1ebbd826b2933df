import type { PagesPart } from "./parts.ts";

/** The services that the console calls: it shows roles and dead letters of every service. */
const consoleCalls =
	"accounts auth subscriptions notifications hospital inventory logistics marketflow ordering pos projects treasury".split(
		" ",
	);

/** All pages, each a folder served by `packages/pages`. */
export const pages: readonly PagesPart[] = [
	{
		name: "accounts",
		title: "Sign in (accounts)",
		port: 3000,
		folder: "apps/accounts",
		isBuilt: true,
		settings: ({ AUTH_URL = "", SUBSCRIPTIONS_URL = "", CONSOLE_UI_URL = "" }) => ({
			authUrl: AUTH_URL,
			subscriptionsUrl: SUBSCRIPTIONS_URL,
			...(CONSOLE_UI_URL !== "" && { consoleUrl: CONSOLE_UI_URL }),
		}),
	},
	{
		name: "console",
		title: "Console",
		port: 3001,
		folder: "apps/console",
		isBuilt: true,
		addressVariable: "CONSOLE_UI_URL",
		settings: (environment) =>
			Object.fromEntries(
				consoleCalls.map((name) => [`${name}Url`, environment[`${name.toUpperCase()}_URL`] ?? ""]),
			),
	},
	{
		name: "sign-in",
		title: "The smallest application (examples/sign-in)",
		port: 3002,
		folder: "examples/sign-in",
		isBuilt: false,
		addressVariable: "CAFE_WEBSITE_URL",
		settings: ({ AUTH_URL = "", HOSPITAL_URL = "" }) => ({ authUrl: AUTH_URL, hospitalUrl: HOSPITAL_URL }),
	},
];
