import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const inMemory = "/dev/shm";
/** At most 0.8 GB of files were measured at once. The rest is for the processes of all steps. */
const bytesMin = 12e9;

/**
 * Makes an empty folder for what the steps write and throw away: databases, clones, profiles of browsers. It
 * is in memory if there is room: on a disk, copying a database has taken up to ten times the processor time.
 * It is removed when this process ends.
 */
export function makeScratch(root: string): string {
	const ofRoot = `lango-ci-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`;
	const folder = join(hasRoom() ? inMemory : tmpdir(), ofRoot);
	const remove = () => rmSync(folder, { recursive: true, force: true });
	remove();
	mkdirSync(folder);
	// Some tests run as another user.
	chmodSync(folder, 0o1777);
	process.on("exit", remove);
	return folder;
}

function hasRoom(): boolean {
	if (!existsSync(inMemory)) return false;
	const { bavail, bsize } = statfsSync(inMemory);
	return bavail * bsize > bytesMin && process.availableMemory() > bytesMin && runsPrograms(inMemory);
}

/** Containers often refuse to run what lies in memory. */
function runsPrograms(folder: string): boolean {
	const program = join(folder, `lango-ci-${process.pid}`);
	writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
	const { status } = spawnSync(program);
	rmSync(program);
	return status === 0;
}
