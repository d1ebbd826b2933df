import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const home = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/**
 * Runs a command of `tools/`, such as `keys list`, as an operator does. Returns its output, and rejects with
 * `code` and `stderr` if it fails. Besides `env`, the process gets the path and the compile cache only.
 */
export async function runTool(words: string, env: Record<string, string>): Promise<string> {
	const [tool = "", ...more] = words.split(" ");
	// biome-ignore lint/style/noProcessEnv: the path and the place of compiled modules are the test runner's
	const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
	const options = { cwd: home, env: { PATH, NODE_COMPILE_CACHE, ...env } };
	const { stdout } = await run(process.execPath, [`tools/${tool}.ts`, ...more], options);
	return stdout.trim();
}
