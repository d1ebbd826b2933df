import { inspect } from "node:util";
import { eventMigrations, inProcessTransport } from "@lango/events";
import { createTestDatabase } from "@lango/testkit";
import { expect, test } from "vitest";
import {
	buildService,
	defineSettings,
	flag,
	integer,
	list,
	readSettings,
	Secret,
	SettingsError,
	secret,
	startService,
	text,
	url,
	variableOf,
} from "../src/index.ts";
import { defineShop, environmentOf } from "./shop.ts";

const table = defineSettings("SHOP", {
	publicBaseUrl: url({ because: "links are built from it" }),
	attemptsMax: integer({ default: 3, min: 1, max: 9, because: "how often a delivery is tried" }),
	isOpen: flag({ default: true, because: "whether orders are taken" }),
	origins: list({ default: [], because: "who may call" }),
	signingSecret: secret({ because: "signs receipts" }),
	greeting: text({ env: "GREETING", optional: true, because: "what is said" }),
});
const right = { SHOP_PUBLIC_BASE_URL: "https://shop.example/", SHOP_SIGNING_SECRET: "hunter2" };
const faultsOf = (environment: Record<string, string>): string => {
	try {
		readSettings(table, environment);
	} catch (error) {
		if (error instanceof SettingsError) return error.message;
		throw error;
	}
	return "";
};

test("settings are read, with their defaults, and cannot be changed afterwards", () => {
	const settings = readSettings(table, { ...right, SHOP_ORIGINS: "http://a, ,http://b", GREETING: "karibu" });
	expect(settings).toMatchObject({
		publicBaseUrl: "https://shop.example",
		attemptsMax: 3,
		isOpen: true,
		origins: ["http://a", "http://b"],
		greeting: "karibu",
	});
	expect(Object.isFrozen(settings)).toBe(true);
	expect(readSettings(table, right).greeting).toBeUndefined();
});

test("all faults are reported together, each with its variable", () => {
	const message = faultsOf({ SHOP_PUBLIC_BASE_URL: "shop", SHOP_ATTEMPTS_MAX: "10", SHOP_IS_OPEN: "yes" });
	expect(message.split("\n").slice(1)).toEqual([
		'  SHOP_PUBLIC_BASE_URL is an absolute address (it is "shop")',
		'  SHOP_ATTEMPTS_MAX is a whole number from 1 to 9 (it is "10")',
		'  SHOP_IS_OPEN is true or false (it is "yes")',
		"  SHOP_SIGNING_SECRET is missing: signs receipts",
	]);
});

test.each(["1.5", "", "0x10", "1e3", "-1"])("%j is not a number of attempts", (value) => {
	const fault = faultsOf({ ...right, SHOP_ATTEMPTS_MAX: value });
	if (value === "") expect(fault).toBe("");
	else expect(fault).toContain("SHOP_ATTEMPTS_MAX");
});

test("a secret is not shown in texts, JSON or logs", () => {
	const { signingSecret } = readSettings(table, right);
	expect(signingSecret.reveal()).toBe("hunter2");
	for (const shown of [
		String(signingSecret),
		JSON.stringify({ signingSecret }),
		inspect({ signingSecret }),
		inspect(new Secret("hunter2")),
	])
		expect(shown).not.toContain("hunter2");
	expect(faultsOf({ ...right, SHOP_PUBLIC_BASE_URL: "x" })).not.toContain("hunter2");
});

test("a variable is named after its service and setting, unless the setting names another one", () => {
	expect(variableOf("SHOP", "publicBaseUrl", table.table.publicBaseUrl)).toBe("SHOP_PUBLIC_BASE_URL");
	expect(variableOf("SHOP", "greeting", table.table.greeting)).toBe("GREETING");
});

test("a service without its settings does not start, and the error names them", async () => {
	const transport = inProcessTransport();
	await expect(buildService(defineShop(), { environment: {}, transport })).rejects.toThrow(
		/SHOP_DATABASE_URL is missing[\s\S]*SHOP_SIGNING_SECRET is missing/,
	);
});

test("a service whose database lacks a migration does not start, and the error names it", async () => {
	const transport = inProcessTransport();
	const database = await createTestDatabase({ name: "shop", sets: [] });
	const starting = buildService(defineShop(), { environment: environmentOf(database.url), transport });
	await expect(starting).rejects.toThrow(/the database lacks events\/0001/);
	await database.drop();
});

test("a port in use is reported with its number and its setting", async () => {
	const database = await createTestDatabase({ name: "shop", sets: [eventMigrations] });
	const transport = inProcessTransport();
	const options = { environment: environmentOf(database.url), transport, logTo: { write: () => {} } };
	const first = await startService(defineShop(), options);
	const port = new URL(first.url).port;
	const second = startService(defineShop(), {
		...options,
		environment: { ...options.environment, SHOP_PORT: port },
	});
	await expect(second).rejects.toThrow(new RegExp(`port ${port} is in use.*SHOP_PORT`));
	await first.close();
	await database.drop();
});
