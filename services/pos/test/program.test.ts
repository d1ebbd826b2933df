import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createTestDatabase, findFreePort, startTestIssuer, type TestIssuer } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pos } from "../src/service.ts";
import { encryptionKey } from "./shop.ts";

const database = setUp(
	() => createTestDatabase({ name: "pos", sets: pos.migrations }),
	({ drop }) => drop(),
);
let issuer: TestIssuer;
beforeAll(async () => {
	issuer = await startTestIssuer();
});
afterAll(() => issuer.close());

/** The point of sale as a separate process. */
function run(environment: Record<string, string>): ChildProcessByStdio<null, Readable, Readable> {
	const main = new URL("../src/main.ts", import.meta.url).pathname;
	return spawn(process.execPath, [main], {
		env: {
			PATH: process.env.PATH,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
			...environment,
		},
		stdio: ["ignore", "pipe", "pipe"],
	});
}

test("it starts with its settings, becomes ready, and stops cleanly at SIGTERM", async () => {
	const port = await findFreePort();
	const program = run({
		POS_DATABASE_URL: database.url,
		POS_PORT: String(port),
		POS_HOST: "127.0.0.1",
		AUTH_URL: issuer.url,
		POS_KEY_ENCRYPTION_KEYS: encryptionKey,
		POS_SNAPSHOT_READ_KEY: "lk_testhospital_secretsecretsecretsecretsecretsecret",
	});
	const exited = once(program, "exit");
	const ready = () =>
		fetch(`http://127.0.0.1:${port}/readyz`).then(
			(answer) => answer.json(),
			() => undefined,
		);
	await expect.poll(ready).toEqual({
		status: "ok",
		checks: { database: "ok", migrations: "ok", bus: "ok", keys: "ok", revocations: "ok", "own keys": "ok" },
	});
	program.kill("SIGTERM");
	expect(await exited).toEqual([0, null]);
});

test("without its settings it names the missing ones, without a stack, and exits 1", async () => {
	const program = run({});
	const [said, [code]] = await Promise.all([text(program.stderr), once(program, "exit")]);
	expect(code).toBe(1);
	expect(said).toMatch(/POS_DATABASE_URL is missing/);
	expect(said).toMatch(/POS_SNAPSHOT_READ_KEY is missing/);
	expect(said).toMatch(/POS_KEY_ENCRYPTION_KEYS is missing/);
	expect(said).not.toMatch(/\n\s+at /);
});
