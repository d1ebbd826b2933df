import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { readContainerFile, root } from "../../deploy/test/files.ts";

/** What the last stage of a container file holds in its working folder, and what it runs. */
export type Image = { folder: string; entrypoint: readonly string[]; cmd: readonly string[] };

export type Images = { build(path: string): Promise<Image>; remove(): void };

const runMs = 240_000;
const run = promisify(execFile);

/**
 * Follows container files without a container: a folder for each stage, its COPY and RUN lines done as they
 * stand, except `npm ci` with the packages for development. Stages with the same lines are made once. What
 * git ignores is not copied, as .dockerignore says.
 */
export function openImages(): Images {
	const above = mkdtempSync(join(tmpdir(), "lango-images-"));
	const made = new Map<string, Promise<string>>();

	const buildStage = async (
		lines: readonly string[],
		stages: ReadonlyMap<string, string>,
	): Promise<string> => {
		const folder = mkdtempSync(join(above, "stage-"));
		for (const line of lines) {
			const [word = "", ...rest] = line.split(" ");
			if (word === "COPY") copy(rest, { folder, stages });
			if (word === "RUN") await runLine(JSON.parse(rest.join(" ")), folder);
		}
		return folder;
	};
	return {
		async build(path) {
			const { lines, entrypoint, cmd } = readContainerFile(path);
			const stages = new Map<string, string>();
			let folder = "";
			for (const stage of stagesOf(lines)) {
				const key = stage.lines.join("\n");
				const hasOthers = key.includes("--from=");
				const building = (!hasOthers && made.get(key)) || buildStage(stage.lines, stages);
				if (!hasOthers) made.set(key, building);
				folder = await building;
				stages.set(stage.name, folder);
			}
			return { folder, entrypoint, cmd };
		},
		remove: () => rmSync(above, { recursive: true, force: true }),
	};
}

function stagesOf(lines: readonly string[]): Array<{ name: string; lines: string[] }> {
	const stages: Array<{ name: string; lines: string[] }> = [];
	for (const line of lines) {
		if (line.startsWith("FROM ")) stages.push({ name: line.split(" ")[3] ?? "", lines: [] });
		else stages.at(-1)?.lines.push(line);
	}
	return stages;
}

type Copying = { folder: string; stages: ReadonlyMap<string, string> };

function copy(words: readonly string[], { folder, stages }: Copying): void {
	const [first = ""] = words;
	const target = words.at(-1) ?? "";
	if (!first.startsWith("--from=")) {
		for (const path of words.slice(0, -1))
			copyOurs(path, join(folder, target === "./" ? basename(path) : target));
		return;
	}
	const stage = stages.get(first.slice("--from=".length)) ?? "";
	const source = join(stage, (words[1] ?? "").replace(/^\/lango\//, ""));
	cpSync(source, join(folder, target), { recursive: true, verbatimSymlinks: true });
}

/** A file, or what git knows or would know below a folder. */
function copyOurs(path: string, to: string): void {
	for (const file of filesOf(path)) {
		const at = file === path ? to : join(to, file.slice(path.length + 1));
		mkdirSync(dirname(at), { recursive: true });
		cpSync(join(root, file), at);
	}
}

const filesOf = (path: string): string[] =>
	execFileSync("git", ["ls-files", "-co", "--exclude-standard", path], { cwd: root, encoding: "utf8" })
		.split("\n")
		.filter((file) => file !== "" && existsSync(join(root, file)));

/**
 * An installation with the packages for development is a copy of the one of here: the same lock file, and
 * `npm ci` itself runs for the services.
 */
async function runLine(words: string[], cwd: string): Promise<void> {
	const line = words.join(" ");
	if (!line.startsWith("npm ci ") || line.includes("--omit=dev")) return runWords(words, cwd);
	await run("cp", ["-a", join(root, "node_modules"), cwd], { timeout: runMs });
}

async function runWords([program = "", ...words]: string[], cwd: string): Promise<void> {
	const path = (process.env["PATH"] ?? "").split(":").filter((part) => !part.includes("node_modules"));
	// The image's Node, not the one that npm happens to run on here.
	const PATH = [dirname(process.execPath), ...path].join(":");
	// What was installed here a moment ago is not fetched again.
	const env = { ...process.env, NODE_ENV: "", npm_config_prefer_offline: "true", PATH };
	await run(program, words, { cwd, env, timeout: runMs });
}
