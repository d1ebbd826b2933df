import { Subscription } from "@lango/contracts";
import { createCache } from "@lango/memory";
import { requireNoOpenTransaction, tracedFetch } from "@lango/tracing";
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

export function createSubscriptionClaims(options: SubscriptionClaimsOptions): SubscriptionClaims {
	const { platformOwnerSlug, now, onError } = options;
	const known = createCache<Answered>({ now, sizeMax: cacheMax, maxAgeMs: freshMs });
	const failed = createCache<true>({ now, sizeMax: cacheMax, maxAgeMs: pauseMs });
	let unansweredAt = Number.NEGATIVE_INFINITY;
	let isListening = true;

	const send = requestWith(options, () => {
		unansweredAt = now().getTime();
	});
	const lastKnown = (tenantId: string): Answered | undefined => {
		const last = known.last(tenantId);
		return last !== undefined && now().getTime() - last.from < lastKnownMs ? last.value : undefined;
	};
	const request = async (tenantId: string, waitMs: number): Promise<Answered> => {
		const storeFailed = failed.begin();
		try {
			return { subscription: await send(tenantId, waitMs) };
		} catch (error) {
			onError(error);
			storeFailed(tenantId, true);
			throw error;
		}
	};
	const isPaused = (tenantId: string): boolean =>
		now().getTime() - unansweredAt < pauseMs || failed.get(tenantId) !== undefined;
	const refresh = (tenantId: string) => known.refresh(tenantId, () => request(tenantId, timeoutMs));

	return {
		async find({ id, slug }) {
			requireNoOpenTransaction("look up a subscription");
			if (slug === platformOwnerSlug) return null;
			const current = isListening ? known.get(id) : undefined;
			if (current !== undefined) return current.value.subscription;
			const answered = isPaused(id) ? lastKnown(id) : await refresh(id).catch(() => lastKnown(id));
			return answered?.subscription;
		},
		async ask(tenantId) {
			const store = known.begin();
			const answered = await request(tenantId, decisionTimeoutMs).catch(() => undefined);
			if (answered === undefined) return lastKnown(tenantId)?.subscription;
			store(tenantId, answered);
			return answered.subscription;
		},
		drop(tenantId) {
			known.invalidate(tenantId);
			failed.invalidate(tenantId);
		},
		setListening(isListeningNow) {
			known.expireAll();
			isListening = isListeningNow;
		},
	};
}

/**
 * Sends one request about a tenant. Throws if the response is invalid, and reports if there was no
 * response.
 */
function requestWith(
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
