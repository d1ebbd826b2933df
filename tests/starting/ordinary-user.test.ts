/** `npm start` as an ordinary user: one made for the test when we are root, ourselves otherwise. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, type Identity, makeClone } from "./clone.ts";
import { killEverything, listProcesses, npmStart, patience, type Started, until } from "./platform.ts";

const isRoot = process.getuid?.() === 0;
const name = `lango-${randomBytes(3).toString("hex")}`;
let clone: Clone;
let started: Started;

beforeAll(async () => {
	clone = await makeClone(isRoot ? makeUser() : undefined);
});
afterAll(() => {
	killEverything(clone, started);
	clone?.remove();
	if (isRoot) execFileSync("userdel", ["--remove", name], { stdio: "ignore", timeout: 30_000 });
});

/** Creates a user with a private home folder and an empty npm cache. */
function makeUser(): Identity {
	execFileSync("useradd", ["--create-home", "--key", "UMASK=077", name], {
		stdio: "ignore",
		timeout: 30_000,
	});
	const ask = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
	const home = execFileSync("getent", ["passwd", name], { encoding: "utf8" }).split(":")[5] ?? "";
	return { uid: ask("-u"), gid: ask("-g"), home };
}

async function stop(): Promise<void> {
	started.interrupt();
	expect([0, 130, "SIGINT"]).toContain(await started.untilEnded(patience.end));
	await until(() => listProcesses(clone, started).length === 0, patience.end);
	expect(listProcesses(clone, started)).toEqual([]);
}

test("Ctrl-C during the installation of packages stops it", async () => {
	started = npmStart(clone);
	await started.untilSaid("Installing the packages", patience.start);
	await setTimeout(4_000);
	await stop();
});

test("the next start completes the installation: an ordinary user starts the platform from a clone without packages, and stops it", async () => {
	started = npmStart(clone);
	await started.untilSaid("Lango is ready", patience.install);
	expect(started.output()).toContain("Installing the packages");
	const uid = clone.identity.uid ?? process.getuid?.();
	expect(statSync(join(clone.folder, ".lango/postgres")).uid).toBe(uid);
	expect(statSync(join(clone.folder, ".lango/postgres.password")).mode & 0o777).toBe(0o600);
	expect(statSync(join(clone.folder, ".lango/secrets.json")).mode & 0o777).toBe(0o600);
	await stop();
});
