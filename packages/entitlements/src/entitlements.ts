import type { AccessTokenClaims, Subscription } from "@lango/contracts";
import { askForSubscription, EntitlementsUnavailable } from "./ask.ts";
import { type Entitlement, freshestEntitlement, mayMutate } from "./entitlement.ts";
import { type Held, holdSnapshots, isFresh, isUsable, versionOf } from "./held-snapshots.ts";

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
	/** The gate of mutations; false is a positive "no". Throws EntitlementsUnavailable when nobody can say. */
	mayMutate(question: Question): Promise<boolean>;
	/** Takes in a snapshot that an event carried, told at `toldAt`: a higher version replaces what is held, others are dropped. */
	apply(snapshot: Subscription, toldAt?: Date): void;
	/** Forgets everything, as after events may have been missed. */
	clear(): void;
};

/**
 * What other services know of subscriptions: a bounded memory by tenant, 60 s, one question in flight per tenant,
 * revalidated by ETag, overtaken by events. When the subscription service is away, what is younger than 60 s serves,
 * then the gate is closed, by an error and never by a false "no" (spec §8).
 */
export function createEntitlements(options: EntitlementsOptions): Entitlements {
	const {
		subscriptionsUrl,
		apiKey,
		now,
		fetch: get = fetch,
		cacheMax = 10_000,
		timeoutMs = 2_000,
		graceDays = 7,
	} = options;
	const snapshots = holdSnapshots(cacheMax);
	const inFlight = new Map<string, Promise<Held>>();
	const time = () => now().getTime();

	const ask = async (tenantId: string, before: Held | undefined): Promise<Held> => {
		const learnedAt = time();
		const answer = await askForSubscription(
			{ subscriptionsUrl, apiKey, fetch: get, timeoutMs },
			tenantId,
			before?.etag,
		);
		if (answer.kind === "subscription")
			return { subscription: answer.subscription, etag: answer.etag, learnedAt };
		if (answer.kind === "unchanged" && before !== undefined) return { ...before, learnedAt };
		return { subscription: null, etag: undefined, learnedAt };
	};
	const refresh = (tenantId: string): Promise<Held> => {
		const before = snapshots.get(tenantId);
		const flight: Promise<Held> = ask(tenantId, before)
			.then((learned) => {
				if (inFlight.get(tenantId) !== flight) return learned; // Everything was forgotten meanwhile: do not bring it back.
				const current = snapshots.get(tenantId);
				const isOvertaken =
					current !== undefined && current !== before && versionOf(current) > versionOf(learned);
				if (isOvertaken) return current;
				snapshots.put(tenantId, learned);
				return learned;
			})
			.finally(() => {
				if (inFlight.get(tenantId) === flight) inFlight.delete(tenantId);
			});
		inFlight.set(tenantId, flight);
		return flight;
	};
	const fresh = (tenantId: string): Held | undefined => {
		const held = snapshots.get(tenantId);
		return held !== undefined && isFresh(held, time()) ? held : undefined;
	};
	const find = async (id: string): Promise<Subscription | null> => {
		const tenantId = id.toLowerCase();
		const held = fresh(tenantId);
		if (held !== undefined) return held.subscription;
		try {
			return (await (inFlight.get(tenantId) ?? refresh(tenantId))).subscription;
		} catch (cause) {
			const last = snapshots.get(tenantId);
			if (last !== undefined && isUsable(last, time())) return last.subscription;
			throw new EntitlementsUnavailable(cause);
		}
	};
	const entitlementOf = async ({ tenantId, claims }: Question): Promise<Entitlement | null> => {
		const snapshot = fresh(tenantId.toLowerCase())?.subscription;
		const known = freshestEntitlement({ tenantId, claims, snapshot, now: now(), graceDays });
		return known === undefined ? find(tenantId) : known;
	};

	return {
		find,
		entitlementOf,
		mayMutate: async (question) => mayMutate(await entitlementOf(question)),
		apply(subscription, toldAt = now()) {
			const tenantId = subscription.tenant_id.toLowerCase();
			const held = snapshots.get(tenantId);
			if (held !== undefined && versionOf(held) >= subscription.version) return;
			snapshots.put(tenantId, {
				subscription,
				etag: undefined,
				learnedAt: Math.min(toldAt.getTime(), time()),
			});
		},
		clear() {
			snapshots.clear();
			inFlight.clear();
		},
	};
}
