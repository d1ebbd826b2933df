/**
 * `node tools/keys.ts list | rotate | revoke <kid>`: the keys that sign tokens. `rotate` publishes new keys and, asked
 * again once they were published for eleven minutes, puts them to use; `revoke` removes one at once, for an emergency.
 * Database and key-encryption keys are those of the environment, else those of `npm start`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PlatformAction } from "@lango/chassis";
import { type Database, openPool } from "@lango/postgres";
import { listKeyStates, removeKey, rotateKeys } from "@lango/signing-keys";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { auth } from "../services/auth/src/service.ts";
import { provideForOperator } from "./up/databases.ts";
import { keepSecrets } from "./up/secrets.ts";
import { operator } from "./up/service-database.ts";
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

type Deed = Pick<PlatformAction, "action" | "subject" | "detail">;
const now = new Date();
/** Every change of keys is on record, with the routes' own words, also one made here. */
const record = async (tx: Database, deed: Deed) =>
	auth.recordPlatformAction?.(tx, { ...deed, actor: operator, at: now });

const stopping = listenForStop(console.log);
try {
	const url = await provideForOperator(auth, { home, environment: process.env, stopping });
	const db = openPool({ url, name: "keys", sizeMax: 1 });
	stopping.onStop(() => db.close());
	const setting =
		process.env.LANGO_KEY_ENCRYPTION_KEYS ||
		keepSecrets(join(home, "secrets.json"), {}).LANGO_KEY_ENCRYPTION_KEYS;
	const encryption = readKeyEncryptionKeys(setting ?? "");
	if (verb === "rotate") {
		const steps = await db.transaction(async (tx) => {
			const taken = await rotateKeys(tx, { encryption, now, isForced: true });
			if (taken.length > 0)
				await record(tx, { action: "keys.rotated", subject: "signing_keys", detail: { steps: taken } });
			return taken;
		});
		for (const step of steps) console.log(Object.values(step).filter(Boolean).join(" "));
		if (steps.length === 0)
			console.log("The new keys are published, but not for eleven minutes yet: ask again then.");
	}
	if (verb === "revoke")
		await db.transaction(async (tx) => {
			if (!(await removeKey(tx, { kid, encryption, now })))
				throw new Error(`There is no key ${kid}; see: node tools/keys.ts list`);
			await record(tx, { action: "key.revoked", subject: kid, detail: {} });
		});
	for (const key of await listKeyStates(db))
		console.log(`${key.kid}  ${key.algorithm}  ${key.status.padEnd(8)} since ${key.changedAt.toISOString()}`);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
for (const fault of await stopping.stopAll()) console.error(fault);
