/**
 * `node tools/serve-pages.ts NAME`: serves one folder of pages (tools/up/pages.ts) in its own process, as in
 * a deployment. Pages with a build must be built first. Reads `<NAME>_PORT`, `<NAME>_HOST` and the addresses
 * in the page's settings.
 */
import { join, resolve } from "node:path";
import { startPages } from "@lango/pages";
import { pages } from "./up/pages.ts";
import { pagesPort, prefixOf } from "./up/parts.ts";
import { listenForStop, untilAborted } from "./up/stopping.ts";

const root = resolve(import.meta.dirname, "..");
const [name] = process.argv.slice(2);
const part = pages.find((one) => one.name === name);
const stopping = listenForStop(console.log);
try {
	if (part === undefined)
		throw new Error(`Usage: node tools/serve-pages.ts ${pages.map((one) => one.name).join("|")}`);
	const settings = part.settings(process.env);
	const missing = Object.keys(settings).filter((key) => settings[key] === "");
	// The setting authUrl is read from AUTH_URL, and so on.
	for (const key of missing) throw new Error(`${key.replaceAll(/[A-Z]/g, "_$&").toUpperCase()} is missing.`);
	const running = await startPages({
		name: part.name,
		folder: join(root, part.folder, part.isBuilt ? "dist" : "."),
		port: pagesPort(part, process.env).port,
		host: process.env[`${prefixOf(part.name)}_HOST`] || "localhost",
		settings,
		connect: Object.values(settings).map((url) => new URL(url).origin),
	});
	stopping.onStop(() => running.close());
	await untilAborted(stopping.signal);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
for (const fault of await stopping.stopAll()) console.error(fault);
process.exit();
