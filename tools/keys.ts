/**
 * `node tools/keys.ts list | rotate | revoke <kid>`: the keys that sign tokens. `rotate` publishes new keys;
 * run again after eleven minutes, it activates them. `revoke` removes a key at once, in an emergency. Uses
 * the database and the key-encryption keys from the environment, otherwise those of `npm start`.
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
	console.error("Usage: node tools/keys.ts list | rotate | revoke <kid>");
	process.exit(1);
}

type KeyAction = Pick<PlatformAction, "action" | "subject" | "detail">;
const now = new Date();
/** Records the audit action of a change of keys, as the routes do. */
const record = async (tx: Database, entry: KeyAction) =>
	auth.recordPlatformAction?.(tx, { ...entry, actor: operator, at: now });

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
			console.log(
				"The new keys are published. Run this command again eleven minutes after their publication to activate them.",
			);
	}
	if (verb === "revoke")
		await db.transaction(async (tx) => {
			if (!(await removeKey(tx, { kid, encryption, now })))
				throw new Error(`Key ${kid} not found. List the keys: node tools/keys.ts list`);
			await record(tx, { action: "key.revoked", subject: kid, detail: {} });
		});
	for (const key of await listKeyStates(db))
		console.log(`${key.kid}  ${key.algorithm}  ${key.status.padEnd(8)} since ${key.changedAt.toISOString()}`);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
for (const fault of await stopping.stopAll()) console.error(fault);
