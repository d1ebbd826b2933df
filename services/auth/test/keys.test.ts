import { setTimeout as sleep } from "node:timers/promises";
import { type BuiltService, StartFault } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { removeKey, rotateKeys } from "@lango/signing-keys";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { auth, seedDemo } from "../src/service.ts";
import { bearer, buildProcess, obtainTokens, setUpSignOn } from "./sign-on.ts";

// keys that change

const signOn = setUpSignOn({ AUTH_KEY_REFRESH_SECONDS: "1" });

const encryption = [{ id: "k1", key: Buffer.alloc(32, 7) }];
test("a new key is published before it signs; tokens stay valid through the rotation; a removed key's tokens are rejected", async () => {
	const kids = async () =>
		(await signOn.app.inject("/.well-known/jwks.json")).json<{
			keys: Array<{ kid: string; alg: string }>;
		}>().keys;
	const kidOf = (token: string): string =>
		JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;
	const ask = (token: string) => signOn.me(token);
	const before = await obtainTokens(signOn.app, "admin@uhai.example");

	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isForced: true });
	await sleep(1_300);
	expect(await kids()).toHaveLength(4);
	expect(kidOf((await obtainTokens(signOn.app, "admin@uhai.example")).access_token)).toBe(
		kidOf(before.access_token),
	);
	signOn.now.forward(660);
	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isForced: true });
	await sleep(1_300);
	const after = await obtainTokens(signOn.app, "admin@uhai.example");
	expect(kidOf(after.access_token)).not.toBe(kidOf(before.access_token));
	expect((await ask(before.access_token)).statusCode).toBe(200);

	expect(await removeKey(signOn.db, { kid: kidOf(after.access_token), encryption, now: signOn.now.at })).toBe(
		true,
	);
	expect(await removeKey(signOn.db, { kid: "nothing", encryption, now: signOn.now.at })).toBe(false);
	await sleep(1_300);
	expect((await ask(after.access_token)).statusCode).toBe(401);
	expect((await ask((await obtainTokens(signOn.app, "admin@uhai.example")).access_token)).statusCode).toBe(
		200,
	);
});

test("a start that cannot decrypt the signing keys names the service, the setting and the remedy", async () => {
	const database = await createTestDatabase({ name: "auth", sets: auth.migrations });
	const start = (id: string, byte: number) =>
		buildProcess(database.url, {
			environment: { LANGO_KEY_ENCRYPTION_KEYS: `${id}:${Buffer.alloc(32, byte).toString("base64")}` },
		});
	await (await start("k1", 7)).close();
	const remedy =
		"Set LANGO_KEY_ENCRYPTION_KEYS to the newest key, followed by every older key that is still used.";
	const fault = (reason: string) =>
		new StartFault(`auth: the signing keys in the database cannot be decrypted: ${reason}. ${remedy}`);
	await expect(start("k9", 7)).rejects.toThrow(fault('the key-encryption key "k1" is missing'));
	await expect(start("k1", 9)).rejects.toThrow(
		fault('the key-encryption key "k1" is not the one that encrypted this, or the text was changed'),
	);
	await database.drop();
});

test("a malformed list of key-encryption keys is reported for that setting, without a key", async () => {
	const key = Buffer.alloc(32, 7).toString("base64");
	for (const value of ["k1", "k1:c2hvcnQ=", `k1:${key},k1:${key}`])
		await expect(
			buildProcess("postgres://nowhere/none", { environment: { LANGO_KEY_ENCRYPTION_KEYS: value } }),
		).rejects.toThrow(
			/^the settings are not usable:\n {2}LANGO_KEY_ENCRYPTION_KEYS (is <id>:<32 bytes in base64>, several separated by commas|has two keys with the same id)$/,
		);
});

test("an ID token is taken as a hint as long as a session may last, also when its key has not signed for a month", async () => {
	const { id_token: hint } = await obtainTokens(signOn.app, "admin@uhai.example");
	const signOut = async () =>
		(await signOn.app.inject(`/api/v1/oidc/logout?id_token_hint=${hint}`)).statusCode;
	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isForced: true });
	signOn.now.forward(660);
	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isForced: true });
	signOn.now.forward(30 * 86_400);
	await sleep(1_300);
	await expect.poll(signOut).toBe(200);
	signOn.now.forward(61 * 86_400);
	await expect.poll(signOut).toBe(400);
});

describe("several processes on one database", () => {
	let database: TestDatabase;
	let processes: BuiltService[];
	let at: Date;
	beforeAll(async () => {
		database = await createTestDatabase({ name: "auth", sets: auth.migrations });
		at = signOn.now.at;
		const build = () =>
			buildProcess(database.url, {
				now: () => at,
				transport: inProcessTransport(),
				environment: { AUTH_KEY_REFRESH_SECONDS: "1", LOG_LEVEL: "error" },
			});
		processes = await Promise.all(Array.from({ length: 5 }, build));
	});
	afterAll(async () => {
		for (const one of processes) await one.close();
		await database.drop();
	});

	const kidsOf = async ({ app }: BuiltService) =>
		(await app.inject("/.well-known/jwks.json"))
			.json<{ keys: Array<{ kid: string }> }>()
			.keys.map(({ kid }) => kid)
			.toSorted();
	const kidsIn = async (...statuses: string[]) => {
		const stored = "select kid from signing_keys where status = any ($1) order by algorithm, kid";
		const rows = await database.db.query<{ kid: string }>(stored, [statuses]);
		return rows.map(({ kid }) => kid);
	};
	const allPublishTheSame = () =>
		vi.waitFor(async () => {
			const kids = (await kidsIn("pending", "active", "retired")).toSorted();
			for (const one of processes) expect(await kidsOf(one)).toEqual(kids);
		}, 15_000);
	/** How many of the processes changed anything. */
	const rotateAtOnce = async (isForced: boolean) => {
		const rotating = processes.map(({ db }) => rotateKeys(db, { encryption, now: at, isForced }));
		return (await Promise.all(rotating)).filter((steps) => steps.length > 0).length;
	};
	/** One of each algorithm. */
	const two = [expect.any(String), expect.any(String)];

	test("that start at once where there is no key have the keys of one, and all publish them", async () => {
		expect(await kidsIn("active")).toEqual(two);
		for (const one of processes) expect(await kidsOf(one)).toEqual((await kidsIn("active")).toSorted());
		expect(await kidsIn("pending", "retired", "removed")).toEqual([]);
	});

	test("that are asked for new keys at once have one make them; put to use at once, one key of each kind signs", async () => {
		const first = await kidsIn("active");
		expect(await rotateAtOnce(true)).toBe(1);
		const made = await kidsIn("pending");
		expect([made, await kidsIn("active")]).toEqual([two, first]);
		await allPublishTheSame();
		at = new Date(at.getTime() + 660_000);
		await rotateAtOnce(true);
		expect([await kidsIn("active"), await kidsIn("retired")]).toEqual([made, first]);
		await allPublishTheSame();
	});

	test("that find keys due at once change them once, and each takes the tokens of every other", async () => {
		await seedDemo(database.db, at);
		const before = await kidsIn("active");
		at = new Date(at.getTime() + 90 * 86_400_000);
		await rotateAtOnce(false);
		const active = await kidsIn("active");
		expect(active).toEqual(two);
		for (const kid of before) expect(active).not.toContain(kid);
		await allPublishTheSame();
		for (const { app } of processes) {
			const { access_token } = await obtainTokens(app, "admin@uhai.example");
			for (const other of processes) {
				const me = await other.app.inject({ url: "/api/v1/auth/me", headers: bearer(access_token) });
				expect(me.statusCode).toBe(200);
			}
		}
	});
});
