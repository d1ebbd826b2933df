import { Subscription } from "@lango/contracts";
import { requireNoOpenTransaction, tracedFetch } from "@lango/tracing";
import { LRUCache } from "lru-cache";
import { Compile } from "typebox/compile";

/**
 * Fetches the subscription claims of tenants from the subscription service. Never throws: a sign-in does
 * not depend on it.
 */
export type SubscriptionClaims = {
	/**
	 * The tenant's subscription; null if it has none, undefined if the service is unavailable and nothing is
	 * cached.
	 */
	find(tenant: { id: string; slug: string }): Promise<Subscription | null | undefined>;
	/**
	 * Fetches a tenant's subscription now, for a decision that can wait: null if the tenant has none. If the
	 * service does not respond, returns the cached answer of the last 15 minutes; undefined without one.
	 */
	ask(tenantId: string): Promise<Subscription | null | undefined>;
	/** Invalidates the entry of a tenant. A request in flight is answered, but its response is not cached. */
	drop(tenantId: string): void;
	/**
	 * Sets whether notifications of changes are received. Entries from before an interruption may be
	 * outdated: they are fetched again, and only used if the service does not respond.
	 */
	setListening(isListening: boolean): void;
};

export type SubscriptionClaimsOptions = {
	url: string;
	apiKey: string;
	/** The tenant that needs no subscription. */
	platformOwnerSlug: string;
	now: () => Date;
	onError: (error: unknown) => void;
	fetch?: typeof fetch;
};

const timeoutMs = 300;
/** The timeout of a decision, which is longer than that of a sign-in. */
const decisionTimeoutMs = 2_000;
const freshMs = 60_000;
const lastKnownMs = 15 * 60_000;
/**
 * Sign-ins do not wait for an unavailable service. After a failed connection no request is sent for this
 * long; after an invalid response no request for that tenant.
 */
const pauseMs = 1_000;
const cacheMax = 10_000;
const answer = Compile(Subscription);

/** A response; null if the tenant has no subscription. */
type Answered = { subscription: Subscription | null };
type Known = Answered & { at: number; listenEpoch: number };

export function createSubscriptionClaims(options: SubscriptionClaimsOptions): SubscriptionClaims {
	const { platformOwnerSlug, now, onError } = options;
	const known = new LRUCache<string, Known>({ max: cacheMax });
	const asking = new Map<string, Promise<Answered | undefined>>();
	const failed = new LRUCache<string, number>({ max: cacheMax });
	let unansweredAt = Number.NEGATIVE_INFINITY;
	/** Incremented by each invalidation: a response to an earlier request may be outdated. */
	let drops = 0;
	let isListening = true;
	/** Incremented when notifications start or stop. An entry of another epoch must be fetched again. */
	let listenEpoch = 0;

	const ask = askWith(options, () => {
		unansweredAt = now().getTime();
	});
	const lastKnown = (tenantId: string): Known | undefined => {
		const last = known.get(tenantId);
		return last !== undefined && now().getTime() - last.at < lastKnownMs ? last : undefined;
	};
	const refresh = async (tenantId: string, waitMs = timeoutMs): Promise<Answered | undefined> => {
		const began = drops;
		try {
			const subscription = await ask(tenantId, waitMs);
			if (began === drops) known.set(tenantId, { at: now().getTime(), listenEpoch, subscription });
			failed.delete(tenantId);
			return { subscription };
		} catch (error) {
			onError(error);
			if (began === drops) failed.set(tenantId, now().getTime());
			return lastKnown(tenantId);
		}
	};
	const isPaused = (tenantId: string): boolean =>
		now().getTime() - Math.max(unansweredAt, failed.get(tenantId) ?? unansweredAt) < pauseMs;
	/** One request at a time per tenant. A caller after an invalidation does not share an earlier request. */
	const askOnce = (tenantId: string): Promise<Answered | undefined> => {
		const underWay = asking.get(tenantId);
		if (underWay !== undefined) return underWay;
		const mine = refresh(tenantId).finally(() => {
			if (asking.get(tenantId) === mine) asking.delete(tenantId);
		});
		asking.set(tenantId, mine);
		return mine;
	};

	return {
		async find({ id, slug }) {
			requireNoOpenTransaction("look up a subscription");
			if (slug === platformOwnerSlug) return null;
			const last = known.get(id);
			const isBelieved = isListening && last?.listenEpoch === listenEpoch;
			if (isBelieved && now().getTime() - last.at < freshMs) return last.subscription;
			const answered = isPaused(id) ? lastKnown(id) : await askOnce(id);
			return answered?.subscription;
		},
		async ask(tenantId) {
			const answered = await refresh(tenantId, decisionTimeoutMs);
			return answered && (answered.subscription ?? null);
		},
		drop(tenantId) {
			drops += 1;
			known.delete(tenantId);
			failed.delete(tenantId);
			asking.delete(tenantId);
		},
		setListening(isListeningNow) {
			drops += 1;
			asking.clear();
			listenEpoch += 1;
			isListening = isListeningNow;
		},
	};
}

/**
 * Sends one request about a tenant. Throws if the response is invalid, and reports if there was no
 * response.
 */
function askWith(
	{ url, apiKey, fetch: get = tracedFetch }: SubscriptionClaimsOptions,
	onUnanswered: () => void,
): (tenantId: string, waitMs: number) => Promise<Subscription | null> {
	return async (tenantId, waitMs) => {
		const response = await get(`${url}/api/v1/tenants/${tenantId}/subscription`, {
			headers: { "x-api-key": apiKey, accept: "application/json" },
			signal: AbortSignal.timeout(waitMs),
		}).catch((error: unknown) => {
			onUnanswered();
			throw error;
		});
		const body: unknown = await response.json();
		if (response.status === 404 && (body as { code?: string }).code === "no_subscription") return null;
		if (!response.ok || !answer.Check(body))
			throw new Error(`the subscription service answered ${response.status}`);
		return body;
	};
}
