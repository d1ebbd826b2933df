import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Returns every file that a program loads. */
async function loadedBy(program: string): Promise<string[]> {
	const watching = `
		import { registerHooks } from "node:module";
		const loaded = [];
		registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
		${program}
		console.log(JSON.stringify(loaded));`;
	const { stdout } = await promisify(execFile)(
		process.execPath,
		["--input-type=module", "--eval", watching],
		{ cwd: join(import.meta.dirname, ".."), timeout: 25_000 },
	);
	return JSON.parse(stdout) as string[];
}

const exporting = /@opentelemetry\/(sdk-trace|exporter-trace-otlp-http)\//;

test("the exporter's libraries are not loaded unless tracing is opened", async () => {
	const loaded = await loadedBy('await import("@lango/tracing"); await import("@lango/chassis");');
	expect(loaded.some((url) => url.includes("/chassis/src/"))).toBe(true);
	expect(loaded.filter((url) => exporting.test(url))).toEqual([]);
}, 30_000);

test("opening tracing loads the exporter's libraries", async () => {
	const loaded = await loadedBy(`
		const { openTracing } = await import("@lango/tracing");
		const { close } = await openTracing({
			url: "http://127.0.0.1:9/v1/traces", service: "till", sampler: "always_on", ratio: 1,
			timeoutMs: 100, delayMs: 10, queueMax: 10, onError: () => {},
		});
		await close();`);
	expect(loaded.some((url) => exporting.test(url))).toBe(true);
}, 30_000);
