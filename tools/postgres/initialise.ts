import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "./process.ts";
import type { Binaries, Runner } from "./runner.ts";

/** Where a cluster is made, by whose hand, and the file its password is in. */
export type NewCluster = {
	data: string;
	passwordFile: string;
	binaries: Binaries;
	runner: Runner;
	signal: AbortSignal;
};

/** The superuser of every cluster made here. */
export const superuser = "lango";

/** The cluster's password, made once and kept beside the data, readable by its owner alone. */
export function keepPassword(path: string): string {
	const known = readIfThere(path)?.trim();
	if (known) return known;
	const password = randomBytes(24).toString("base64url");
	writeFileSync(path, `${password}\n`, { mode: 0o600 });
	return password;
}

/**
 * Makes the data folder of a cluster, unless it is there: UTF-8 in every database, the same sort order on
 * every platform (PostgreSQL's own C.UTF-8), no way in without the password. It is made under another name
 * and moved into place when it is whole, so a run that was interrupted leaves nothing that looks finished.
 */
export async function initialise({
	data,
	passwordFile,
	binaries,
	runner,
	signal,
}: NewCluster): Promise<void> {
	if (existsSync(join(data, "PG_VERSION"))) return;
	const half = `${data}.new`;
	for (const folder of [half, data]) rmSync(folder, { recursive: true, force: true });
	mkdirSync(half, { mode: 0o700 });
	const secret = `${data}.initial-password`;
	writeFileSync(secret, readFileSync(passwordFile), { mode: 0o600 });
	for (const path of [half, secret]) chownSync(path, runner.uid ?? -1, runner.gid ?? -1);
	try {
		const flags = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"];
		const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
		const words = [`--pgdata=${half}`, `--username=${superuser}`, `--pwfile=${secret}`, ...flags, ...locale];
		await runToEnd([binaries.initdb, ...words], { runner, signal });
		signal.throwIfAborted();
		renameSync(half, data);
	} finally {
		for (const path of [half, secret]) rmSync(path, { recursive: true, force: true });
	}
}

/** What a program of PostgreSQL gets as environment: nothing of ours, which might name another server. */
export const environment = (): NodeJS.ProcessEnv => ({
	PATH: process.env["PATH"],
	SystemRoot: process.env["SystemRoot"],
	LC_ALL: "C",
});

type Manner = { runner: Runner; signal: AbortSignal };

/** In a process group of its own, so that Ctrl-C reaches it through us alone and we can await its end. */
function runToEnd([command = "", ...words]: string[], { runner, signal }: Manner): Promise<void> {
	const child = spawn(command, words, {
		...runner,
		cwd: "/",
		env: environment(),
		detached: true,
		timeout: 120_000,
	});
	let said = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream?.on("data", (chunk) => {
			said = `${said}${chunk}`.slice(-4_000);
		});
	}
	const stop = () => child.kill("SIGTERM");
	signal.addEventListener("abort", stop);
	return new Promise((done, fail) => {
		child.once("error", fail);
		child.once("close", (code) => {
			signal.removeEventListener("abort", stop);
			if (code === 0 || signal.aborted) done();
			else fail(new Error(`The database could not be made (initdb ended with ${code}):\n${said}`));
		});
	});
}
