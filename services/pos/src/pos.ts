import { type Domain, networkOf } from "@lango/chassis";
import type { HashingQueue, HashingRequester } from "@lango/passwords";
import type { KeyRing } from "@lango/signing-keys";
import type { Settings } from "./config.ts";

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
