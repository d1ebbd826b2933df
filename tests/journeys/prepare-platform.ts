import { rm } from "node:fs/promises";
import { join } from "node:path";
import { endLeftover, removeLeftover, startPlatform } from "./running-platform.ts";

/**
 * Vitest's global set-up: the data of a platform that was started once and stopped. Every later platform
 * starts on a copy: to migrate and fill eleven databases takes half of the processor time of a start. To
 * prepare them costs as much as it saves in two starts, so only .ci/run does, which runs all files.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
	if (!process.env["CI"]) return undefined;
	const { leftover } = await startPlatform();
	await endLeftover(leftover);
	// Each copy chooses a port of its own.
	await rm(join(leftover.home, "postgres.port"));
	process.env.LANGO_PREPARED_HOME = leftover.home;
	return () => removeLeftover(leftover);
}
