import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventMigrations } from "@lango/events";
import { openPool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Environment, startService } from "../src/index.ts";
import { explainDatabase } from "../src/start/start-fault.ts";
import { defineShop, environmentOf, openShop } from "./shop.ts";

const shop = setUp(openShop);
let taken: Server;
const folder = mkdtempSync(join(tmpdir(), "lango-start-"));
beforeAll(async () => {
	taken = createServer();
	await new Promise<void>((done) => taken.listen(0, "127.0.0.1", done));
	cpSync(eventMigrations.folder, folder, { recursive: true });
	cpSync(join(folder, "migrations/0001_base.sql"), join(folder, "migrations/0002_later.sql"), {
		force: true,
	});
});
afterAll(async () => {
	taken.close();
	rmSync(folder, { recursive: true });
});

const at = (parts: { password?: string; pathname?: string }): Environment =>
	environmentOf(String(Object.assign(new URL(shop.database.url), parts)));
const portOfTaken = () => String((taken.address() as { port: number }).port);

const said = async (environment: Environment, service = defineShop()): Promise<string> => {
	const running = await startService(service, { environment, logTo: { write: () => undefined } }).catch(
		(error: Error) => error,
	);
	if (running instanceof Error) return running.message;
	await running.close();
	return expect.fail("it started");
};

describe("a service that cannot start names itself, the setting and the remedy, and shows no password", () => {
	test.each<[string, () => Environment, RegExp]>([
		[
			"a wrong password",
			() => at({ password: "hunter2" }),
			/^shop: the database at \S+ refuses: password authentication failed.* Correct the user and the password in SHOP_DATABASE_URL\.$/,
		],
		[
			"a database that is missing",
			() => at({ pathname: "/nowhere" }),
			/^shop: the database at \S+ refuses: .*"nowhere" does not exist\. Create it .*SHOP_DATABASE_URL\.$/,
		],
		[
			"an invalid database address",
			() => environmentOf("not an address"),
			/^shop: SHOP_DATABASE_URL is not an address\. Set it to postgres:/,
		],
		[
			"an invalid bus address",
			() => ({ ...at({}), NATS_URL: "nowhere" }),
			/^shop: NATS_URL is not an address\. Correct it, or unset it/,
		],
		[
			"an invalid Redis address",
			() => ({ ...at({}), REDIS_URL: "nowhere" }),
			/^shop: REDIS_URL is not an address\. Correct it, or unset it/,
		],
		[
			"a port in use",
			() => ({ ...at({}), SHOP_HOST: "127.0.0.1", SHOP_PORT: portOfTaken() }),
			/^shop: port \d+ is in use\. Stop what uses it, or set SHOP_PORT to another\.$/,
		],
		[
			"an address of another machine to listen on",
			() => ({ ...at({}), SHOP_HOST: "192.0.2.1" }),
			/^shop: this machine does not have the address 192\.0\.2\.1\. Correct SHOP_HOST\.$/,
		],
		[
			"a trusted proxy that is not an address",
			() => ({ ...at({}), LANGO_TRUSTED_PROXIES: "nowhere" }),
			/^shop: the settings are not usable:\n {2}LANGO_TRUSTED_PROXIES: "nowhere" is not an address.*\nSet or correct them/,
		],
		[
			"an unknown log level",
			() => ({ ...at({}), LOG_LEVEL: "loud" }),
			/^shop: the settings are not usable:\n {2}LOG_LEVEL is one of trace, debug, info, warn, error, silent \(it is "loud"\)\nSet or correct them/,
		],
		[
			"a missing secret",
			() => ({ ...at({}), SHOP_SIGNING_SECRET: "" }),
			/SHOP_SIGNING_SECRET is missing: signs receipts/,
		],
	])("%s", async (_what, environment, message) => {
		const line = await said(environment());
		expect(line).toMatch(message);
		expect(line).not.toMatch(/hunter2|:\/\/[^\s]*:[^\s]*@(?!host)/);
	});

	test("migrations that are pending", async () => {
		const later = { ...eventMigrations, folder };
		expect(await said(at({}), defineShop(undefined, { migrations: [later] }))).toMatch(
			/^shop: the database lacks \S+0002_later\.sql\. Apply the migrations: npm run migrate -- shop, .*SHOP_MIGRATION_DATABASE_URL\.$/,
		);
	});

	test("a database that is newer", async () => {
		const owner = openPool({ url: shop.database.ownerUrl, name: "owner", sizeMax: 1 });
		const newer = "where set_name = 'events' and number = 999";
		await owner.query(
			"insert into migrations (set_name, number, file, breaking, content_hash) values ('events', 999, '0999_newer.sql', true, 'x')",
		);
		const line = await said(at({})).finally(() => owner.query(`delete from migrations ${newer}`));
		await owner.close();
		expect(line).toMatch(
			/^shop: the database is newer than this program: .*0999_newer\.sql.*SHOP_DATABASE_URL/,
		);
	});
});

test.each(["ECONNREFUSED", "ENOTFOUND", "57P03"])(
	"a database that cannot be reached (%s) is named with its setting",
	(code) => {
		const error = Object.assign(new Error("no"), { code });
		const place = { service: "pos", setting: "POS_DATABASE_URL", url: "postgres://u:hunter2@db:5432/pos" };
		expect(String(explainDatabase(error, place))).toBe(
			"StartFault: pos: the database at db:5432/pos cannot be reached (no). Start it, or correct the address in POS_DATABASE_URL.",
		);
	},
);

test("an error that is a bug comes back as it is", () => {
	const bug = new TypeError("undefined is not a function");
	expect(explainDatabase(bug, { service: "pos", setting: "X", url: "postgres://db/pos" })).toBe(bug);
});
