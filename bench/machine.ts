import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Describes the machine in one line. */
export function describeMachine(): string {
	const processors = cpus();
	const memory = Math.round(totalmem() / 2 ** 30);
	return `${processors.length} cores (${processors[0]?.model.trim() ?? "unknown"}), ${memory} GB of memory, ${process.platform} ${process.arch}`;
}

/** At this load of the last minute or more, other work disturbs the figures. */
export const quietLoad = 1;

export function loadNow(): number {
	return loadavg()[0] ?? 0;
}

/** The installed version of a package. */
export function versionOf(name: string): string {
	const manifest = readFileSync(join(root, "node_modules", name, "package.json"), "utf8");
	return (JSON.parse(manifest) as { version: string }).version;
}
