/**
 * `node tools/keys.ts list | rotate | revoke <kid>`: the keys that sign tokens. `rotate` publishes new keys and, asked
 * again once they were published for ten minutes, puts them to use; `revoke` removes one at once, for an emergency.
 * Database and key-encryption keys are those of the environment, else those of `npm start`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openPool } from "@lango/postgres";
import { listKeyStates, removeKey, rotateKeys } from "@lango/signing-keys";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { auth } from "../services/auth/src/service.ts";
import { provideForOperator } from "./up/databases.ts";
import { keepSecrets } from "./up/secrets.ts";
import { listenForStop } from "./up/stopping.ts";

const home = process.env.LANGO_HOME || join(import.meta.dirname, "../.lango");
const settingsFile = join(import.meta.dirname, "../.env");
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
const [verb = "", kid = ""] = process.argv.slice(2);
const isKnown = verb === "list" || verb === "rotate" || (verb === "revoke" && kid !== "");
if (!isKnown) {
	console.error("Say what to do: node tools/keys.ts list | rotate | revoke <kid>");
	process.exit(1);
}

const stopping = listenForStop(console.log);
try {
	const url = await provideForOperator(auth, { home, environment: process.env, stopping });
	const db = openPool({ url, name: "keys", sizeMax: 1 });
	stopping.onStop(() => db.close());
	const setting =
		process.env.LANGO_KEY_ENCRYPTION_KEYS ||
		keepSecrets(join(home, "secrets.json"), {}).LANGO_KEY_ENCRYPTION_KEYS;
	const encryption = readKeyEncryptionKeys(setting ?? "");
	const now = new Date();
	if (verb === "rotate") {
		const steps = await rotateKeys(db, { encryption, now, isAsked: true });
		for (const step of steps) console.log(Object.values(step).filter(Boolean).join(" "));
		if (steps.length === 0)
			console.log("The new keys are published, but not for ten minutes yet: ask again then.");
	}
	if (verb === "revoke" && !(await removeKey(db, { kid, encryption, now })))
		throw new Error(`There is no key ${kid}; see: node tools/keys.ts list`);
	for (const key of await listKeyStates(db))
		console.log(`${key.kid}  ${key.algorithm}  ${key.status.padEnd(8)} since ${key.changedAt.toISOString()}`);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
for (const fault of await stopping.stopAll()) console.error(fault);
