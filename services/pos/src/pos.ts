import { type Domain, explainSealedKeys, networkOf, type OwnTokens } from "@lango/chassis";
import { createHashingQueue, type HashingQueue, type HashingRequester } from "@lango/passwords";
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
		strangersHashing: await createHashingQueue({ ...limits, atOnce: 1 }),
	};
}

/** The most PIN tasks in flight for one person, one till or network address, and one tenant. */
const sharesMax = { account: 16, address: 16, tenant: 32 };

/**
 * Whose share of the hashing queue a request uses that comes from no till: the person and the tenant that it names, and the
 * network address.
 */
export const requesterOf = (one: { tenant: string; subject: string; address: string }): HashingRequester => ({
	account: `${one.tenant} ${one.subject}`,
	address: networkOf(one.address),
	tenant: one.tenant,
});

/**
 * Whose share a PIN uses that is typed at a till: the person at this till, the till, and its tenant. The till proved its token, so
 * it takes the place of the network address, which all tills of an outlet can have in common. The person's share at one till
 * is not used up at another.
 */
export const requesterAtTill = (
	till: { id: string; tenantId: string },
	subject: string,
): HashingRequester => ({
	account: `${till.id} ${subject}`,
	address: till.id,
	tenant: till.tenantId,
});

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
