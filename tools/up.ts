/**
 * `npm start`: everything in one process, each service with its own database. This file is the table of what
 * is started, and imports the services; the code is in tools/up/.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { mintApiKey } from "@lango/tokens";
import { auth, demoPassword, seedDemo } from "../services/auth/src/service.ts";
import { hospital } from "../services/hospital/src/service.ts";
import { inventory } from "../services/inventory/src/service.ts";
import { logistics } from "../services/logistics/src/service.ts";
import { marketflow } from "../services/marketflow/src/service.ts";
import { notifications, seedDemoNotifications } from "../services/notifications/src/service.ts";
import { ordering, seedDemoMenu } from "../services/ordering/src/service.ts";
import { demoPin, pos, seedDemoPin } from "../services/pos/src/service.ts";
import { projects } from "../services/projects/src/service.ts";
import { seedDemoSubscriptions, subscriptions } from "../services/subscriptions/src/service.ts";
import { seedDemoTreasury, treasury } from "../services/treasury/src/service.ts";
import { bringUp } from "./up/bring-up.ts";
import { homeOf } from "./up/databases.ts";
import { describePlatform } from "./up/describe-platform.ts";
import { pages } from "./up/pages.ts";
import type { Parts } from "./up/parts.ts";
import { listDevelopmentKeys } from "./up/service-keys.ts";
import { listenForStop, untilAborted } from "./up/stopping.ts";

/** The services, in the order of their start. */
const services: Parts["services"] = [
	{ service: auth, comesFirst: true, demo: (db, { now }) => seedDemo(db, now) },
	{ service: subscriptions, comesFirst: true, demo: seedDemoSubscriptions },
	{ service: notifications, demo: seedDemoNotifications },
	{ service: treasury, demo: seedDemoTreasury },
	{ service: hospital },
	{ service: inventory },
	{ service: logistics },
	{ service: marketflow },
	{ service: projects },
	{ service: ordering, demo: seedDemoMenu },
	{ service: pos, demo: (db, known) => seedDemoPin(db, { ...known, password: demoPassword }) },
];

/** Imitations of what is outside the platform. They start before the services that call them. */
const sandboxes: Parts["sandboxes"] = [
	{
		name: "messages-sandbox",
		title: "Inbox of all messages (sandbox)",
		ports: { MESSAGES_SANDBOX_PORT: 4092, MESSAGES_SANDBOX_SMTP_PORT: 4093 },
		// Imported at the start: the deployed tools read this table, and are installed without the sandboxes.
		start: async ({ MESSAGES_SANDBOX_PORT: port, MESSAGES_SANDBOX_SMTP_PORT: smtpPort }) => {
			const { startMessagesSandbox } = await import("@lango/sandbox-messages");
			return startMessagesSandbox({ port: Number(port), smtpPort: Number(smtpPort) });
		},
	},
	{
		name: "mobile-money-sandbox",
		title: "Phones that pay (mobile-money sandbox)",
		ports: { MOBILE_MONEY_SANDBOX_PORT: 4090 },
		start: async (environment) => {
			const { startMobileMoneySandbox } = await import("@lango/sandbox-mobile-money");
			return startMobileMoneySandbox({
				port: Number(environment["MOBILE_MONEY_SANDBOX_PORT"]),
				truthFile: join(homeOf(environment), "sandboxes/mobile-money.jsonl"),
			});
		},
	},
	{
		name: "card-gateway-sandbox",
		title: "Card gateway (sandbox)",
		ports: { CARD_GATEWAY_SANDBOX_PORT: 4091 },
		start: async (environment) => {
			const { optionsOf, startCardGateway } = await import("@lango/sandbox-card-gateway");
			const { TREASURY_URL: treasuryUrl } = environment;
			return startCardGateway({
				stateFile: join(homeOf(environment), "sandboxes/card-gateway.jsonl"),
				...(treasuryUrl && { webhookUrl: `${treasuryUrl}/webhooks/cardgateway` }),
				...optionsOf(environment),
			});
		},
	},
];

/** Everything that is started, in this order. */
export const parts: Parts = {
	sandboxes,
	services,
	pages,
	secrets: {
		LANGO_KEY_ENCRYPTION_KEYS: () => `development:${randomBytes(32).toString("base64")}`,
		// The point of sale used the sign-on service's key before it had its own: existing keys stay readable.
		POS_KEY_ENCRYPTION_KEYS: ({ LANGO_KEY_ENCRYPTION_KEYS: before }) =>
			[`development-pos:${randomBytes(32).toString("base64")}`, ...(before ? [before] : [])].join(","),
		NOTIFICATIONS_KEY_ENCRYPTION_KEYS: () =>
			`development-notifications:${randomBytes(32).toString("base64")}`,
		TREASURY_KEY_ENCRYPTION_KEYS: () => `development-treasury:${randomBytes(32).toString("base64")}`,
		...Object.fromEntries(
			listDevelopmentKeys(services.map(({ service }) => service)).map(({ variable }) => [
				variable,
				() => mintApiKey().text,
			]),
		),
	},
	people: [
		{ who: "root@lango.example", what: "superuser of the platform's owner" },
		{ who: "admin@uhai.example", what: "administrator of Uhai Hospital" },
		{ who: "nurse@uhai.example", what: "staff of Uhai Hospital, in Ward Block and Pharmacy" },
		{ who: "pharm@uhai.example", what: "staff of Uhai Hospital, in Pharmacy" },
		{ who: "owner@kahawa.example", what: "administrator of Kahawa Café, on trial" },
		{ who: "cashier@kahawa.example", what: `cashier of Kahawa Café, PIN ${demoPin} at its tills` },
		{ who: "owner@duka.example", what: "administrator of Duka Mart, whose subscription has expired" },
	],
	password: demoPassword,
};

if (import.meta.main) process.exit(await up());

async function up(): Promise<number> {
	const say = (line: string) => console.log(line);
	const stopping = listenForStop(say);
	let code = 0;
	try {
		const { values } = parseArgs({ options: { fresh: { type: "boolean", default: false } } });
		const settingsFile = join(import.meta.dirname, "../.env");
		if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
		const addresses = await bringUp(parts, { given: process.env, isFresh: values.fresh, stopping, say });
		say(describePlatform(addresses, parts.people, parts.password));
		await untilAborted(stopping.signal);
	} catch (error) {
		if (!stopping.signal.aborted) code = explain(error);
	}
	for (const fault of await stopping.stopAll()) code = explain(fault);
	return code;
}

/**
 * Returns whether an error has a message for the user; any other error is a bug and is printed with its
 * stack.
 */
function explain(error: unknown): number {
	const { name, code = "" } = error as NodeJS.ErrnoException;
	const isOurs =
		error instanceof Error &&
		(["Error", "SettingsError", "StartFault"].includes(name) || code.startsWith("ERR_PARSE_ARGS"));
	console.error(isOurs ? error.message : error);
	return 1;
}
