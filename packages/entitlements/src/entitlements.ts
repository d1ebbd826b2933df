import type { AccessTokenClaims, Subscription } from "@lango/contracts";
import { tracedFetch } from "@lango/tracing";
import {
	type Entitlement,
	freshestEntitlement,
	hasFeature,
	mayMutate,
	newestEntitlement,
} from "./entitlement.ts";
import { createSnapshotSource } from "./snapshot-source.ts";

export type EntitlementsOptions = {
	/** Address of the subscription service, without a trailing slash. */
	subscriptionsUrl: string;
	/** A key that is good for all tenants. */
	apiKey: string;
	now: () => Date;
	fetch?: typeof fetch;
	/** How many tenants are remembered. */
	cacheMax?: number;
	timeoutMs?: number;
	/** Called when a snapshot could not be fetched in the background. */
	onTrouble?: (error: unknown) => void;
	/** Grace after expiry when only a token's claims are at hand; a snapshot says itself whether it runs. */
	graceDays?: number;
};

/** About whom, and with what token: `claims` are left out for programs with an API key. */
export type Question = { tenantId: string; claims?: AccessTokenClaims | undefined };

export type Entitlements = {
	/** The tenant's snapshot, at most 60 s old; null when it has no record. Throws EntitlementsUnavailable. */
	find(tenantId: string): Promise<Subscription | null>;
	/** The freshest thing known, for features, limits and products; null: no record. Throws EntitlementsUnavailable. */
	entitlementOf(question: Question): Promise<Entitlement | null>;
	/**
	 * For reads: the newest thing at hand, however old; null: no record, undefined: nothing is known. Never waits and never throws; a
	 * snapshot that is stale or absent is fetched in the background.
	 */
	lastKnown(question: Question): Entitlement | null | undefined;
	/** The gate of mutations; false is a positive "no". Throws EntitlementsUnavailable when nobody can say. */
	mayMutate(question: Question): Promise<boolean>;
	/** HasFeature (spec §4.2), by the freshest thing known. Throws EntitlementsUnavailable: closed, and no "no". */
	hasFeature(question: Question, code: string): Promise<boolean>;
	/** GetLimits (spec §4.2), by the freshest thing known; none without a record. Throws EntitlementsUnavailable. */
	getLimits(question: Question): Promise<Readonly<Record<string, number>>>;
	/** Takes in a snapshot that an event carried, told at `toldAt`: a higher version replaces what is held, others are dropped. */
	apply(snapshot: Subscription, toldAt?: Date): void;
	/** How often the gate was answered from memory, and how often the subscription service was asked. */
	lookups(): { hits: number; misses: number };
	/** Forgets everything, as on reconnecting to the bus: events may have been missed. */
	dropAll(): void;
};

/**
 * What other services know of subscriptions: a bounded memory by tenant, 60 s, one question in flight per tenant,
 * revalidated by ETag, overtaken by events. When the subscription service is away, what is younger than 60 s serves,
 * then the gate is closed, by an error and never by a false "no" (spec §8).
 */
export function createEntitlements(options: EntitlementsOptions): Entitlements {
	const {
		fetch: get = tracedFetch,
		cacheMax = 10_000,
		timeoutMs = 2_000,
		graceDays = 7,
		onTrouble = () => {},
		now,
		...address
	} = options;
	const source = createSnapshotSource({ ...address, fetch: get, cacheMax, timeoutMs, now, onTrouble });
	const find = (tenantId: string) => source.find(tenantId.toLowerCase());
	const lookups = { hits: 0, misses: 0 };
	const entitlementOf = async ({ tenantId, claims }: Question): Promise<Entitlement | null> => {
		const snapshot = source.peek(tenantId.toLowerCase());
		const known = freshestEntitlement({ tenantId, claims, snapshot, now: now(), graceDays });
		if (known !== undefined) {
			lookups.hits += 1;
			return known;
		}
		lookups.misses += 1;
		return find(tenantId);
	};
	return {
		find,
		entitlementOf,
		lastKnown: ({ tenantId, claims }) => {
			const last = source.last(tenantId.toLowerCase());
			return newestEntitlement({ tenantId, claims, last, now: now(), graceDays });
		},
		mayMutate: async (question) => mayMutate(await entitlementOf(question)),
		hasFeature: async (question, code) => hasFeature(await entitlementOf(question), code),
		getLimits: async (question) => (await entitlementOf(question))?.limits ?? {},
		apply: (snapshot, toldAt = now()) => source.apply(snapshot, toldAt),
		lookups: () => lookups,
		dropAll: () => source.dropAll(),
	};
}
