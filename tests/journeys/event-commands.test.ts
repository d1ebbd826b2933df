import { randomUUID } from "node:crypto";
import { buildService } from "@lango/chassis";
import { authUserUpdated } from "@lango/contracts";
import { inProcessTransport, listDeadLetters, type Transport } from "@lango/events";
import { createTestDatabase, runTool, type TestDatabase } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";

// What an operator does about events, by the commands, with the service's address and no administrator's,
// while the service runs.

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

const command = (words: string) =>
	runTool(words, { NODE_ENV: "production", HOSPITAL_DATABASE_URL: database.url });
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

test("dead letters are discarded all at once, or by type, or since a time", async () => {
	for (let n = 0; n < 3; n += 1) await publishUnfit();
	await expect.poll(countDead).toBe(3);
	const far = new Date(Date.now() + 3_600_000).toISOString();
	expect(await command(`dead-letters hospital discard --all --since ${far}`)).toBe("0 discarded.");
	expect(await command(`dead-letters hospital list --since ${far}`)).toBe("There are no dead letters.");
	expect(await command(`dead-letters hospital redrive --all --type ${authUserUpdated.type}`)).toBe(
		"3 will be retried within a second.",
	);
	await expect.poll(countDead).toBe(3);
	expect(await command("dead-letters hospital discard --all --type auth.user.login")).toBe("0 discarded.");
	expect(await command("dead-letters hospital discard --all")).toBe("3 discarded.");
	expect(await countDead()).toBe(0);
});

test("a service republishes its events since a time", async () => {
	const said = await command("republish hospital --since 2026-03-01T12:00:00Z");
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
	["republish hospital", "Usage:"],
])("%s is refused with the usage", async (words, says) => {
	await expect(command(words)).rejects.toMatchObject({
		code: 1,
		stderr: expect.stringContaining(says),
	});
});
