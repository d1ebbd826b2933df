import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseRunner } from "../../tools/postgres/runner.ts";

/**
 * A PostgreSQL that the system has installed whole, with the programs that make and read back dumps: where
 * they are.
 */
export function findSystemPostgres(): string | undefined {
	const debian = "/usr/lib/postgresql";
	const folders = existsSync(debian)
		? readdirSync(debian).map((version) => join(debian, version, "bin"))
		: [];
	const needed = ["initdb", "postgres", "pg_isready", "psql", "pg_dump", "pg_dumpall", "pg_restore"];
	return folders.findLast((folder) => needed.every((program) => existsSync(join(folder, program))));
}

export type SystemPostgres = { adminUrl: string; remove(): Promise<void> };

/**
 * An empty one from the programs in `folder`, with a superuser `postgres`. Throws when it does not start
 * within 30 s.
 */
export async function startSystemPostgres(
	folder: string,
	{ port, password }: { port: number; password: string },
): Promise<SystemPostgres> {
	const above = mkdtempSync(join(tmpdir(), "lango-system-postgres-"));
	const runner = chooseRunner(join(above, "data"));
	chownSync(above, runner.uid ?? -1, runner.gid ?? -1);
	chmodSync(above, 0o755);
	const options = { ...runner, cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } };
	const [data, secret] = [join(above, "data"), join(above, "password")];
	writeFileSync(secret, password);
	const words = ["--auth=scram-sha-256", "--encoding=UTF8", "--username=postgres", "--no-sync"];
	execFileSync(join(folder, "initdb"), [`--pgdata=${data}`, `--pwfile=${secret}`, ...words], {
		...options,
		stdio: "ignore",
		timeout: 60_000,
	});
	const own = { port: `${port}`, listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off" };
	const flags = Object.entries({ ...own, max_connections: "200" }).flatMap(([name, value]) => [
		"-c",
		`${name}=${value}`,
	]);
	const server = spawn(join(folder, "postgres"), ["-D", data, ...flags], { ...options, stdio: "ignore" });
	const ended = once(server, "exit");
	const remove = async () => {
		server.kill("SIGINT");
		await ended;
		rmSync(above, { recursive: true, force: true });
	};
	for (const endAt = Date.now() + 30_000; !isReady(folder, port); await sleep(100))
		if (Date.now() > endAt || server.exitCode !== null) {
			await remove();
			throw new Error(`the PostgreSQL of ${folder} did not start`);
		}
	return { adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, remove };
}

function isReady(folder: string, port: number): boolean {
	try {
		execFileSync(join(folder, "pg_isready"), ["-h", "127.0.0.1", "-p", `${port}`], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}
