/**
 * Runs before `npm start` and `npm test`: installs the packages when they are missing or not those of the
 * lock file, and makes sure the pinned Node is there. Plain JavaScript without a dependency, because it runs
 * on whatever Node the machine has (from 20.19) and before anything is installed.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const windows = process.platform === "win32";

/**
 * Says why the packages below `root` are not those of its lock file, or `undefined` when they are. Contents are
 * compared, not times: a checkout touches the lock file without changing it. npm writes its own record of what
 * it installed last of all, so an interrupted `npm ci` leaves none; the mark covers our own installs besides.
 */
export function whyInstall(root) {
	const wanted = readPackages(join(root, "package-lock.json"));
	if (wanted === undefined)
		throw new Error("package-lock.json is missing or is not JSON: check it out again.");
	if (!existsSync(join(root, "node_modules"))) return "there is no node_modules";
	if (existsSync(markOf(root))) return "the last install was interrupted";
	const installed = readPackages(join(root, "node_modules", ".package-lock.json"));
	if (installed === undefined) return "the last install did not finish";
	for (const [path, entry] of Object.entries(wanted)) {
		if (path === "" || (installed[path] === undefined && entry.optional)) continue;
		if (!isSame(entry, installed[path])) return `${path} is not as package-lock.json says`;
	}
	const extra = Object.keys(installed).find((path) => wanted[path] === undefined);
	return extra === undefined ? undefined : `${extra} is no longer in package-lock.json`;
}

function isSame(wanted, installed) {
	if (installed === undefined || wanted.version !== installed.version) return false;
	if (wanted.link) return installed.link === true && wanted.resolved === installed.resolved;
	return wanted.integrity === undefined || wanted.integrity === installed.integrity;
}

function readPackages(path) {
	try {
		return JSON.parse(readFileSync(path, "utf8")).packages;
	} catch {
		return undefined;
	}
}

const markOf = (root) => join(root, ".lango", "installing");

/** While another `npm start` or `npm test` installs into the same folder, deleting it below that would harm both. */
async function waitForOther(root) {
	const isBusy = () => {
		try {
			const pid = Number(readFileSync(markOf(root), "utf8"));
			return pid > 0 && pid !== process.pid && process.kill(pid, 0);
		} catch {
			return false;
		}
	};
	if (!isBusy()) return;
	console.log(
		"Another npm start or npm test is installing the packages; waiting for it (five minutes at most).",
	);
	for (const end = Date.now() + 300_000; isBusy() && Date.now() < end; ) await setTimeout(500);
}

async function install(root) {
	mkdirSync(join(root, ".lango"), { recursive: true });
	const mark = (pid) => writeFileSync(markOf(root), `${pid}\n`);
	mark(process.pid);
	const code = await run(npmCommand(root), { cwd: root, onStart: mark });
	if (code === 130 || code === 143) {
		console.error("The install was stopped; the next start makes it again.");
		return code;
	}
	if (code !== 0) {
		console.error("The packages could not be installed; npm says why above. The command is: npm ci");
		return code;
	}
	rmSync(markOf(root));
	return 0;
}

/**
 * npm as it was started, on the Node it was started with: the pinned Node may be deleted by the very install.
 * The install scripts of the packages that `allowScripts` names are needed, whatever the user's settings say.
 */
function npmCommand(root) {
	const words = [
		"ci",
		"--prefer-offline",
		"--no-audit",
		"--no-fund",
		"--loglevel=error",
		"--no-update-notifier",
		"--ignore-scripts=false",
		"--include=dev",
	];
	const { npm_execpath: npm, npm_node_execpath: node } = process.env;
	if (npm && node && !resolve(node).startsWith(join(root, "node_modules"))) return [node, npm, ...words];
	return ["npm", ...words];
}

/**
 * Runs a command to its end and resolves to its exit code. It has a process group of its own: npm does not always
 * heed a signal while it runs install scripts, so one that reaches us is passed on to the whole group, and what has
 * not ended two seconds later is killed. The next start makes such an install again.
 */
function run([command, ...args], { cwd, onStart }) {
	const nodeModules = join(cwd, "node_modules");
	const path = (process.env.PATH ?? "").split(delimiter).filter((part) => !part.startsWith(nodeModules));
	const env = { ...process.env, PATH: path.join(delimiter) };
	const stdio = ["ignore", "inherit", "inherit"];
	const child = spawn(command, args, { cwd, env, stdio, shell: windows, detached: !windows });
	if (child.pid !== undefined) onStart(child.pid);
	let asked;
	const stop = (signal) => {
		if (asked !== undefined) return;
		asked = signal;
		endGroup(child, "SIGTERM");
		setTimeout(2_000, undefined, { ref: false }).then(() => endGroup(child, "SIGKILL"));
	};
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
	return new Promise((done) => {
		child.once("error", (error) => {
			console.error(`${command} could not be started: ${error.message}`);
			done(1);
		});
		child.once("close", (code) => done(asked === undefined ? (code ?? 1) : asked === "SIGINT" ? 130 : 143));
	});
}

function endGroup(child, signal) {
	try {
		if (windows) child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch (error) {
		if (error.code !== "ESRCH") throw error;
	}
}

/** The version of the pinned Node, or `undefined` when it does not answer. */
function pinnedNode(root) {
	const child = spawn(join(root, "node_modules", ".bin", windows ? "node.cmd" : "node"), ["-v"], {
		stdio: ["ignore", "pipe", "ignore"],
		shell: windows,
		timeout: 20_000,
	});
	return new Promise((done) => {
		let text = "";
		child.stdout?.on("data", (chunk) => {
			text += chunk;
		});
		child.once("error", () => done(undefined));
		child.once("close", (code) => done(code === 0 ? text.trim() : undefined));
	});
}

async function prepare(root) {
	await waitForOther(root);
	const why = whyInstall(root);
	if (why !== undefined) {
		console.log(`Installing the packages: ${why}.`);
		const code = await install(root);
		if (code !== 0) return code;
	}
	const wanted = readPackages(join(root, "package-lock.json"))["node_modules/node"].version;
	const found = await pinnedNode(root);
	if (found === `v${wanted}`) return 0;
	const said = found === undefined ? "does not answer" : `is ${found}, not v${wanted}`;
	console.error(
		[
			`The Node this project runs on (npm package "node" ${wanted}, node_modules/.bin/node) ${said}.`,
			"Its install script fetches the program for this machine, and has not run or has failed.",
			"Try: npm rebuild node --ignore-scripts=false",
			"If that does not help, delete node_modules and run this command again.",
		].join("\n"),
	);
	return 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
	process.exitCode = await prepare(resolve(import.meta.dirname, ".."));
}
