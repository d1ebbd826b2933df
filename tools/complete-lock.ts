/**
 * Names every platform's packages in the lock file. npm leaves out those that the registry in use does not
 * offer for some platform, and `npm ci` then refuses the lock file everywhere. `npm run fix` runs this.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Entry = {
	version?: string;
	dev?: boolean;
	optional?: boolean;
	os?: string[];
	cpu?: string[];
	libc?: string[];
	optionalDependencies?: Record<string, string>;
};

/** The parts of package-lock.json that are used here. */
export type Lock = { packages: Record<string, Entry> };

/**
 * The optional packages that an entry of the lock file names and the lock file lacks, by the path they would
 * have.
 */
export function listMissing({ packages }: Lock): Record<string, Entry> {
	const missing: Record<string, Entry> = {};
	for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
		for (const [name, version] of Object.entries(optionalDependencies)) {
			if (isFound(packages, path, name)) continue;
			missing[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...platformOf(name) };
		}
	}
	return missing;
}

/**
 * Node's own rule: in the `node_modules` of the package itself, then of every package around it, then at the
 * top.
 */
function isFound(packages: Lock["packages"], path: string, name: string): boolean {
	const parts = path.split("/node_modules/");
	const places = parts.map((_, end) => parts.slice(0, parts.length - end).join("/node_modules/"));
	return [...places.map((place) => `${place}/node_modules/${name}`), `node_modules/${name}`].some(
		(place) => packages[place] !== undefined,
	);
}

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const processors = ["arm64", "x64", "ia32", "riscv64", "s390x", "ppc64", "loong64", "wasm32", "arm"];

/**
 * The platform a package is for, read from its name (`…/cli-linux-x64-musl`), the way such packages are
 * named.
 */
function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> {
	const words = name.slice(name.lastIndexOf("/") + 1);
	const os = systems.find((system) => words.includes(system));
	const cpu = processors.find((processor) => words.includes(processor));
	if (cpu === undefined)
		throw new Error(`package-lock.json lacks ${name}, and its name does not say for which platform it is.`);
	return { ...(os && { os: [os] }), cpu: [cpu], ...(words.includes("musl") && { libc: ["musl"] }) };
}

if (import.meta.main) {
	const path = join(import.meta.dirname, "../package-lock.json");
	const lock: Lock = JSON.parse(readFileSync(path, "utf8"));
	const missing = listMissing(lock);
	const packages = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1));
	if (Object.keys(missing).length > 0) {
		writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
		console.log(`Added to package-lock.json: ${Object.keys(missing).join(", ")}`);
	}
}
