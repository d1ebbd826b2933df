import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readIfThere } from "../postgres/process.ts";

/** Generates each secret of a development platform, by its variable. */
export type SecretMakers = Readonly<Record<string, (known: Readonly<Record<string, string>>) => string>>;

/** Secrets of earlier releases that no service reads any more. */
const replaced: ReadonlySet<string> = new Set(["AUTH_API_KEY", "SUBSCRIPTIONS_API_KEY"]);

/**
 * Returns the secrets of a development platform. Each is generated once and stored in `path`, readable only
 * by its owner, so that encrypted data stays readable. Secrets of the environment are not stored.
 */
export function keepSecrets(path: string, makers: SecretMakers): Record<string, string> {
	const stored: Record<string, string> = JSON.parse(readIfThere(path) ?? "{}");
	const known = Object.fromEntries(Object.entries(stored).filter(([variable]) => !replaced.has(variable)));
	const missing = Object.entries(makers).filter(([variable]) => known[variable] === undefined);
	if (missing.length === 0) return known;
	const all = { ...known, ...Object.fromEntries(missing.map(([variable, make]) => [variable, make(known)])) };
	mkdirSync(dirname(path), { recursive: true });
	// A run that is killed here leaves the file unchanged, not half written.
	writeFileSync(`${path}.new`, `${JSON.stringify(all, null, "\t")}\n`, { mode: 0o600 });
	renameSync(`${path}.new`, path);
	return all;
}
