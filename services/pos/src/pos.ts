import type { Domain, OwnTokens } from "@lango/chassis";
import { createHashingQueue, type HashingQueue } from "@lango/passwords";
import { type KeyRing, openKeyRing, refreshEvery } from "@lango/signing-keys";
import { readKeyEncryptionKeys } from "@lango/tokens";
import type { Settings } from "./config.ts";
import { failures } from "./failures.ts";
import { keyPlan, stands, tillAudience } from "./sign-in/till-token.ts";

/** What the point of sale holds besides what every domain service does. */
export type TillParts = {
	keyRing: KeyRing;
	/** Of PINs. */
	hashing: HashingQueue;
	/** Of what comes from no till, so that a rush of it keeps no till waiting. */
	strangersHashing: HashingQueue;
};

/** What its routes and operations work with. */
export type Pos = Domain<Settings> & TillParts;

/** Opens the keys and the queues. */
export async function prepare(domain: Domain<Settings>): Promise<TillParts> {
	const { db, now, log, settings, onStop, readyWhen } = domain;
	const encryption = readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal());
	const keyRing = await openKeyRing(db, { encryption, now, plan: keyPlan });
	readyWhen("own keys", async () => void keyRing.signing("ES256"));
	const onTrouble = (err: unknown) => log.error({ err }, "keys not refreshed");
	onStop(refreshEvery(keyRing, { seconds: settings.keyRefreshSeconds, onTrouble }));
	const busy = () => failures.pin_sign_in_busy({ headers: { "retry-after": "2" } });
	const waitingMax = settings.pinHashesWaiting;
	return {
		keyRing,
		hashing: await createHashingQueue({ atOnce: settings.pinHashesAtOnce, waitingMax, busy }),
		strangersHashing: await createHashingQueue({ atOnce: 1, waitingMax, busy }),
	};
}

/** The tokens of tills, as its routes take them. */
export function tillTokens(pos: Pos): OwnTokens {
	const { settings, keyRing } = pos;
	return {
		issuer: settings.publicUrl,
		audience: tillAudience(pos),
		keys: keyRing.keys,
		stands: (claims) => stands(pos, claims),
	};
}
