import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readIfThere } from "../postgres/process.ts";

/** How to make each secret a development platform needs, by its variable. */
export type SecretMakers = Readonly<Record<string, (known: Readonly<Record<string, string>>) => string>>;

/** Secrets of earlier releases that no service reads any more. */
const replaced: ReadonlySet<string> = new Set(["AUTH_API_KEY", "SUBSCRIPTIONS_API_KEY"]);

/**
 * The secrets of a development platform: each made once, kept in `path` readable by its owner alone, so that
 * what they encrypted stays readable. Those the environment gives are left alone.
 */
export function keepSecrets(path: string, makers: SecretMakers): Record<string, string> {
	const stored: Record<string, string> = JSON.parse(readIfThere(path) ?? "{}");
	const known = Object.fromEntries(Object.entries(stored).filter(([variable]) => !replaced.has(variable)));
	const missing = Object.entries(makers).filter(([variable]) => known[variable] === undefined);
	if (missing.length === 0) return known;
	const all = { ...known, ...Object.fromEntries(missing.map(([variable, make]) => [variable, make(known)])) };
	mkdirSync(dirname(path), { recursive: true });
	// A run that is killed here leaves the secrets as they were, never half of them.
	writeFileSync(`${path}.new`, `${JSON.stringify(all, null, "\t")}\n`, { mode: 0o600 });
	renameSync(`${path}.new`, path);
	return all;
}
