import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "../postgres/process.ts";

const root = join(import.meta.dirname, "../..");

/** The inputs of a build of `apps/<name>`: its files, the packages it uses, and the installed versions. */
const sourcesOf = (folder: string) => [
	`${folder}/{index.html,package.json,vite.config.ts}`,
	`${folder}/{src,public}/**/*`,
	"packages/{client,contracts,interface}/src/**/*",
	"packages/pages/src/compressed.ts",
	"package-lock.json",
];

/**
 * Builds an app's pages into `<folder>/dist` if its inputs have changed since the last build; compares
 * contents, not times. The build runs in a separate process, which frees its memory and can be stopped. The
 * mark of a build is written last, so an incomplete build is repeated. Throws with the build's output if it
 * fails.
 */
export async function buildPages(folder: string, signal: AbortSignal): Promise<"built" | "kept"> {
	const wanted = digestOf(folder);
	const mark = join(root, folder, "dist", ".made-from");
	if (readIfThere(mark) === wanted) return "kept";
	rmSync(mark, { force: true });
	await runBuild(folder, signal);
	signal.throwIfAborted();
	writeFileSync(mark, wanted);
	return "built";
}

function digestOf(folder: string): string {
	const files = globSync(sourcesOf(folder), { cwd: root, withFileTypes: true }).filter((entry) =>
		entry.isFile(),
	);
	const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
	const digest = createHash("sha256");
	for (const path of paths)
		digest.update(path.slice(root.length)).update("\0").update(readFileSync(path)).update("\0");
	return digest.digest("hex");
}

/** Runs Vite; an aborted signal stops it. */
function runBuild(folder: string, signal: AbortSignal): Promise<void> {
	const vite = join(root, "node_modules", "vite", "bin", "vite.js");
	const child = spawn(process.execPath, [vite, "build", "--logLevel", "warn"], {
		cwd: join(root, folder),
		env: { ...process.env, NODE_ENV: "production" },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: 180_000,
	});
	let said = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (chunk) => {
			said = `${said}${chunk}`.slice(-8_000);
		});
	}
	const stop = () => child.kill("SIGTERM");
	signal.addEventListener("abort", stop);
	return new Promise((done, fail) => {
		child.once("error", fail);
		child.once("close", (code) => {
			signal.removeEventListener("abort", stop);
			if (code === 0 || signal.aborted) done();
			else fail(new Error(`The pages of ${folder} could not be built:\n${said.trim()}`));
		});
	});
}
