import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildService } from "@lango/chassis";
import { authUserUpdated } from "@lango/contracts";
import { inProcessTransport, listDeadLetters, type Transport } from "@lango/events";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";

// What an operator does about events, by the commands, with the service's address and no administrator's,
// while the service runs.

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const hospital = parts.services.find(({ service }) => service.name === "hospital")?.service;
const transport: Transport = inProcessTransport();
let database: TestDatabase;
let close: () => Promise<void>;

beforeAll(async () => {
	if (hospital === undefined) throw new Error("there is no hospital");
	database = await createTestDatabase({ name: "hospital", sets: hospital.migrations });
	const environment = {
		HOSPITAL_DATABASE_URL: database.url,
		HOSPITAL_SNAPSHOT_READ_KEY: mintApiKey().text,
		LOG_LEVEL: "silent",
	};
	({ close } = await buildService(hospital, { transport, environment }));
});
afterAll(async () => {
	await close?.();
	await database?.drop();
});

async function command(tool: string, ...words: string[]): Promise<string> {
	const env = {
		PATH: process.env["PATH"],
		NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
		NODE_ENV: "production",
		HOSPITAL_DATABASE_URL: database.url,
	};
	const { stdout } = await run(process.execPath, [`tools/${tool}.ts`, ...words], { cwd: root, env });
	return stdout.trim();
}

const list = () => command("dead-letters", "hospital", "list");
const countDead = async () => (await listDeadLetters(database.db, { service: "hospital" })).items.length;

const publishUnfit = () =>
	transport.publish({
		specversion: "1.0",
		id: randomUUID(),
		source: authUserUpdated.source,
		type: authUserUpdated.type,
		time: new Date().toISOString(),
		subject: randomUUID(),
		datacontenttype: "application/json",
		data: { user_id: "somebody" },
	});

test("a dead letter is listed with its reason, retried by its id, and discarded", async () => {
	await publishUnfit();
	const line = /^(\d+) {2}auth\.user\.updated {2}\S+ {2}since \S+Z {2}\d+ attempts, 0 waiting behind it: .+$/;
	await expect.poll(countDead, { timeout: 10_000 }).toBe(1);
	const said = await list();
	expect(said).toMatch(line);
	const id = line.exec(said)?.[1] ?? "";
	expect(await command("dead-letters", "hospital", "redrive", id)).toBe(
		"It will be retried within a second.",
	);
	await expect.poll(countDead, { timeout: 10_000 }).toBe(1);
	expect(await command("dead-letters", "hospital", "discard", id)).toBe("Discarded.");
	expect(await list()).toBe("There are no dead letters.");
});

test("dead letters are discarded all at once, or by type, or since a time", async () => {
	for (let n = 0; n < 3; n += 1) await publishUnfit();
	await expect.poll(countDead, { timeout: 10_000 }).toBe(3);
	const far = new Date(Date.now() + 3_600_000).toISOString();
	expect(await command("dead-letters", "hospital", "discard", "--all", "--since", far)).toBe("0 discarded.");
	expect(await command("dead-letters", "hospital", "list", "--since", far)).toBe(
		"There are no dead letters.",
	);
	const ofType = ["--all", "--type", authUserUpdated.type];
	expect(await command("dead-letters", "hospital", "redrive", ...ofType)).toBe(
		"3 will be retried within a second.",
	);
	await expect.poll(countDead, { timeout: 10_000 }).toBe(3);
	expect(await command("dead-letters", "hospital", "discard", "--all", "--type", "auth.user.login")).toBe(
		"0 discarded.",
	);
	expect(await command("dead-letters", "hospital", "discard", "--all")).toBe("3 discarded.");
	expect(await countDead()).toBe(0);
});

test("a service replays its streams from a time", async () => {
	const said = await command("replay", "hospital", "--since", "2026-03-01T12:00:00Z");
	expect(said).toMatch(/^hospital reads \d+ streams? again within seconds\.$/);
});

test("a service republishes its events since a time", async () => {
	const said = await command("republish", "hospital", "--since", "2026-03-01T12:00:00Z");
	expect(said).toMatch(
		/^hospital (has published nothing since then\.|publishes \d+ events? again, in order, as soon as it runs\.)$/,
	);
});

test.each([
	["dead-letters hospital discard", "Usage:"],
	["dead-letters hospital discard 7 --all", "Usage:"],
	["dead-letters hospital discard 7 --type auth.user.updated", "Usage:"],
	["dead-letters hospital list --since yesterday", "Usage:"],
	["dead-letters hospital redrive 12345678", "hospital has no dead letter 12345678"],
	["dead-letters hospitel list", 'There is no service "hospitel"; there are auth, '],
	["dead-letters auth list", "AUTH_DATABASE_URL is missing."],
	["replay hospital --since yesterday", "Usage:"],
	["republish hospital", "Usage:"],
])("%s is refused with the usage", async (words, says) => {
	const [tool = "", ...more] = words.split(" ");
	await expect(command(tool, ...more)).rejects.toMatchObject({
		code: 1,
		stderr: expect.stringContaining(says),
	});
});
