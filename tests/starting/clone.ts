import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { findFreePorts } from "@lango/testkit";
import { listPorts } from "../../tools/up/parts.ts";
import { parts } from "../../tools/up.ts";

/** The user who runs a platform: the current one, or an ordinary user created for the test. */
export type Identity = { uid?: number; gid?: number; home: string };

/** A fresh clone of what is committed here, for one identity, on free ports. */
export type Clone = {
	folder: string;
	identity: Identity;
	environment: NodeJS.ProcessEnv;
	remove: () => void;
};

const root = resolve(import.meta.dirname, "../..");
const ourselves: Identity = { home: process.env["HOME"] ?? "/" };

/**
 * Clones the repository into a new folder that only its owner may enter, as a home often is, with a free port
 * for everything that listens. Nothing of the environment that npm or Vitest made for this run goes into it.
 */
export async function makeClone(identity: Identity = ourselves): Promise<Clone> {
	const environment = await environmentFor(identity);
	const above = mkdtempSync(join(identity === ourselves ? tmpdir() : identity.home, "lango-starting-"));
	chmodSync(above, 0o700);
	const folder = join(above, "lango");
	execFileSync("git", ["clone", "--quiet", root, folder], { timeout: 60_000 });
	if (identity.uid !== undefined && identity.gid !== undefined) {
		chownSync(above, identity.uid, identity.gid);
		execFileSync("chown", ["-R", `${identity.uid}:${identity.gid}`, folder], { timeout: 60_000 });
	}
	return {
		folder,
		identity,
		environment,
		remove: () => remove(above, folder),
	};
}

async function environmentFor({ home }: Identity): Promise<NodeJS.ProcessEnv> {
	const kept = Object.entries(process.env).filter(
		([name]) =>
			!/^(npm_|vitest|node_|vite_|test_|database_url|nats_url|.*_port$|.*_url$|init_cwd|log_level)/i.test(
				name,
			) || name === "NODE_EXTRA_CA_CERTS",
	);
	const path = (process.env["PATH"] ?? "").split(":").filter((part) => !part.includes("node_modules"));
	const settings = listPorts(parts, {}).map(({ setting }) => setting);
	const ports = await findFreePorts(settings.length);
	const own = settings.map((setting, index) => [setting, String(ports[index])]);
	return { ...Object.fromEntries(kept), PATH: path.join(":"), HOME: home, ...Object.fromEntries(own) };
}

/**
 * Where the data of a clone's platform are: in the clone, or where the link leads when root could not keep
 * them there.
 */
export function dataFolderOf(folder: string): string {
	const path = join(folder, ".lango", "postgres");
	try {
		return resolve(dirname(path), readlinkSync(path));
	} catch {
		return path;
	}
}

function remove(above: string, folder: string): void {
	const data = dataFolderOf(folder);
	if (existsSync(data) && !data.startsWith(folder)) rmSync(dirname(data), { recursive: true, force: true });
	rmSync(above, { recursive: true, force: true });
}
