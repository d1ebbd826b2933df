import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../../deploy/test/files.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import type { Image } from "./image.ts";

/** The version before this one, to be run beside it. */
export type PreviousVersion = { commit: string; services: Image; tools: Image; remove(): void };

/** What a version's behaviour is in. */
const behaviour = ["services", "packages"];

const git = (...words: string[]) =>
	execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();

/**
 * The commit before the last one that changed a service or a package, of those that were this branch in turn;
 * the last commit itself while something of it is changed and not committed. A clone that ends before it is
 * deepened where it came from. Throws an Error, which says what to do, when there is no such commit: only a
 * repository with a single version has none.
 */
function findPreviousCommit(): string {
	if (git("status", "--porcelain", "--", ...behaviour) !== "") return git("rev-parse", "HEAD");
	const find = () => {
		const last = git("log", "-1", "--first-parent", "--format=%H", "--", ...behaviour);
		try {
			return git("rev-parse", "--verify", "--quiet", `${last}^1`);
		} catch {
			return undefined;
		}
	};
	const found = find();
	if (found !== undefined) return found;
	const isShallow = git("rev-parse", "--is-shallow-repository") === "true";
	if (isShallow) git("fetch", "--quiet", "--deepen=100");
	const deeper = isShallow ? find() : undefined;
	if (deeper !== undefined) return deeper;
	throw new Error(
		"There is no version before this one here: clone with more of the history (git fetch --unshallow).",
	);
}

/**
 * That version's files in a folder of their own, with the packages installed here and, of Lango's own, its.
 */
export function openPreviousVersion(): PreviousVersion {
	const commit = findPreviousCommit();
	const above = mkdtempSync(join(tmpdir(), "lango-previous-"));
	const folder = join(above, "lango");
	mkdirSync(folder);
	const archive = join(above, "files.tar");
	execFileSync("git", ["archive", "--format=tar", `--output=${archive}`, commit], {
		cwd: root,
		timeout: 60_000,
	});
	execFileSync("tar", ["-xf", archive, "-C", folder], { timeout: 60_000 });
	linkPackages(folder);
	const image = (...flags: string[]): Image => ({ folder, entrypoint: ["node", ...flags], cmd: [] });
	return {
		commit,
		services: image(...nodeFlags),
		tools: image(),
		remove: () => rmSync(above, { recursive: true, force: true }),
	};
}

function linkPackages(folder: string): void {
	const installed = join(root, "node_modules");
	const modules = join(folder, "node_modules");
	mkdirSync(join(modules, "@lango"), { recursive: true });
	for (const name of readdirSync(installed))
		if (name !== "@lango") symlinkSync(join(installed, name), join(modules, name));
	for (const kind of ["packages", "services", "apps"])
		for (const name of readdirSync(join(folder, kind))) {
			const own = join(folder, kind, name);
			if (!existsSync(join(own, "package.json"))) continue;
			const { name: full } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as { name: string };
			symlinkSync(own, join(modules, "@lango", basename(full)));
			const beside = join(root, kind, name, "node_modules");
			if (existsSync(beside)) symlinkSync(beside, join(own, "node_modules"));
		}
}
