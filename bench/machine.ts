import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** The machine in one line, as far as a figure depends on it. */
export function describeMachine(): string {
	const processors = cpus();
	const memory = Math.round(totalmem() / 2 ** 30);
	return `${processors.length} cores (${processors[0]?.model.trim() ?? "unknown"}), ${memory} GB of memory, ${process.platform} ${process.arch}`;
}

/** Above this load of the last minute something else is at work, and figures are not worth keeping. */
export const quietLoad = 1;

export function loadNow(): number {
	return loadavg()[0] ?? 0;
}

/** The version of a package as it is installed. */
export function versionOf(name: string): string {
	const manifest = readFileSync(join(root, "node_modules", name, "package.json"), "utf8");
	return (JSON.parse(manifest) as { version: string }).version;
}
