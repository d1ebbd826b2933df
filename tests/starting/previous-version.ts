import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../../deploy/test/files.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import type { Image } from "./image.ts";

/** The version before this one, to be run beside it. */
export type PreviousVersion = { commit: string; services: Image; tools: Image; remove(): void };

const git = (...words: string[]) =>
	execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();

/**
 * The commit of the newest release (a tag like v0.1.0) before the current commit. While there is no
 * release, the current commit: then the test replaces a version by itself. A shallow clone gets the tags
 * from where it came.
 */
function findPreviousCommit(): string {
	if (git("rev-parse", "--is-shallow-repository") === "true")
		git("fetch", "--quiet", "--tags", "--unshallow");
	const [release] = git("tag", "--list", "v*", "--merged", "HEAD~1", "--sort=-version:refname").split("\n");
	return git("rev-parse", release ? `${release}^{commit}` : "HEAD");
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
