import { type Domain, explainSealedKeys, networkOf, type OwnTokens } from "@lango/chassis";
import { createHashingQueue, type HashingQueue, type HashingRequester } from "@lango/passwords";
import { type KeyRing, openKeyRing, refreshEvery } from "@lango/signing-keys";
import { readKeyEncryptionKeys } from "@lango/tokens";
import type { Settings } from "./config.ts";
import { failures } from "./failures.ts";
import { isTillTokenCurrent, keyPlan, tillAudience } from "./sign-in/till-token.ts";

/** The parts of the point of sale, besides those of every domain service. */
export type TillParts = {
	keyRing: KeyRing;
	/** Hashes PINs that are typed at a till or set. */
	hashing: HashingQueue;
	/** Hashes PINs of requests without a valid till token, so that they cannot delay the tills. */
	unknownTillHashing: HashingQueue;
};

/** The dependencies of its routes and operations. */
export type Pos = Domain<Settings> & TillParts;

/** Opens the keys and the queues. */
export async function prepare(domain: Domain<Settings>): Promise<TillParts> {
	const { db, now, log, settings, onStop, readyWhen } = domain;
	const encryption = readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal());
	const keyRing = await openKeyRing(db, { encryption, now, plan: keyPlan }).catch((error) => {
		throw explainSealedKeys(error, { service: "pos", setting: "POS_KEY_ENCRYPTION_KEYS" });
	});
	readyWhen("own keys", async () => void keyRing.signing("ES256"));
	const onTrouble = (err: unknown) => log.error({ err }, "keys not refreshed");
	onStop(refreshEvery(keyRing, { seconds: settings.keyRefreshSeconds, onTrouble }));
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

/**
 * The share of the hashing queue that a request without a valid till uses: that of the person and the tenant
 * it names, and of the network address.
 */
export const requesterOf = (one: { tenant: string; subject: string; address: string }): HashingRequester => ({
	account: `${one.tenant} ${one.subject}`,
	address: networkOf(one.address),
	tenant: one.tenant,
});

/**
 * The share of the hashing queue that a PIN typed at a till uses: that of the person at this till, of the
 * till, and of its tenant. The till is authenticated, so it replaces the network address, which all tills of
 * an outlet can share. A person has a separate share at each till.
 */
export const requesterAtTill = (
	till: { id: string; tenantId: string },
	subject: string,
): HashingRequester => ({
	account: `${till.id} ${subject}`,
	address: till.id,
	tenant: till.tenantId,
});

/** How the routes verify till tokens. */
export function tillTokens(pos: Pos): OwnTokens {
	const { settings, keyRing } = pos;
	return {
		issuer: settings.publicUrl,
		audience: tillAudience(pos),
		keys: keyRing.keys,
		isCurrent: (claims) => isTillTokenCurrent(pos, claims),
	};
}
