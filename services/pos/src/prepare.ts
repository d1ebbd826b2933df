import { type Domain, explainSealedKeys } from "@lango/chassis";
import { createHashingQueue } from "@lango/passwords";
import { openKeyRing, refreshEvery } from "@lango/signing-keys";
import { readKeyEncryptionKeys } from "@lango/tokens";
import type { Settings } from "./config.ts";
import { failures } from "./failures.ts";
import type { TillParts } from "./pos.ts";
import { keyPlan } from "./sign-in/till-token.ts";

/** Opens the keys and the queues. */
export async function prepare(domain: Domain<Settings>): Promise<TillParts> {
	const { db, now, log, settings, onStop, readyWhen } = domain;
	const encryption = readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal());
	const keyRing = await openKeyRing(db, { encryption, now, plan: keyPlan }).catch((error) => {
		throw explainSealedKeys(error, { service: "pos", setting: "POS_KEY_ENCRYPTION_KEYS" });
	});
	readyWhen("own keys", async () => void keyRing.signing("ES256"));
	const onError = (err: unknown) => log.error({ err }, "keys not refreshed");
	onStop(refreshEvery(keyRing, { seconds: settings.keyRefreshSeconds, onError }));
	const busy = () => failures.pin_sign_in_busy({ headers: { "retry-after": "2" } });
	const overShare = () => failures.too_many_sign_ins({ headers: { "retry-after": "1" } });
	const limits = { waitingMax: settings.pinHashesWaiting, busy, shares: { max: sharesMax, overShare } };
	return {
		keyRing,
		hashing: await createHashingQueue({ ...limits, atOnce: settings.pinHashesAtOnce }),
		unknownTillHashing: await createHashingQueue({ ...limits, atOnce: 1 }),
	};
}

/** The most PIN tasks in flight for one person, one till or network address, and one tenant. */
const sharesMax = { account: 16, address: 16, tenant: 32 };
