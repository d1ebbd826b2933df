/**
 * `npm run generate`: writes docs/generated and .env.example from the declarations of the services. With
 * `--check` it writes nothing and exits with 1 if one of them is not current.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeAccess } from "./generate/access.ts";
import { describeEvents } from "./generate/events.ts";
import { describeFailures } from "./generate/failures.ts";
import { describeJobs } from "./generate/jobs.ts";
import { describeMetrics } from "./generate/metrics.ts";
import { describeEnvironment, describeSettings } from "./generate/settings.ts";
import { describeWhatsapp } from "./generate/whatsapp.ts";
import { readIfThere } from "./postgres/process.ts";
import { parts } from "./up.ts";

const root = join(import.meta.dirname, "..");

/** Every generated file: its path from the root of the repository, and its text. */
export function generate(): Record<string, string> {
	const services = parts.services.map(({ service }) => service);
	return {
		"docs/generated/access.md": describeAccess(services),
		"docs/generated/failures.md": describeFailures(services),
		"docs/generated/events.md": describeEvents(services),
		"docs/generated/jobs.md": describeJobs(services),
		"docs/generated/metrics.md": describeMetrics(),
		"docs/generated/settings.md": describeSettings(parts),
		"docs/generated/whatsapp.md": describeWhatsapp(),
		".env.example": describeEnvironment(parts),
	};
}

/** Returns the generated files that are missing or not current. */
export function listStale(): string[] {
	return Object.entries(generate()).flatMap(([path, text]) =>
		readIfThere(join(root, path)) === text ? [] : [path],
	);
}

if (import.meta.main) {
	const stale = listStale();
	const texts = generate();
	if (process.argv.includes("--check")) {
		if (stale.length > 0) console.error(`Not current: ${stale.join(", ")}. Run: npm run generate`);
		process.exitCode = stale.length > 0 ? 1 : 0;
	} else {
		for (const path of stale) {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			writeFileSync(join(root, path), texts[path] ?? "");
			console.log(`Wrote ${path}`);
		}
	}
}
