import { Subscription } from "@lango/contracts";
import { requireNoOpenTransaction, tracedFetch } from "@lango/tracing";
import { LRUCache } from "lru-cache";
import { Compile } from "typebox/compile";

/** Asks the subscription service what a tenant's tokens may say. Never fails: a sign-in does not wait for it, nor fail with it. */
export type SubscriptionClaims = {
	/** The tenant's subscription; null when it has none, undefined when the subscription service could not be asked for a while. */
	find(tenant: { id: string; slug: string }): Promise<Subscription | null | undefined>;
	/**
	 * Asks for a tenant's subscription now, for a decision that may wait for it: null when the tenant has none. If the
	 * service does not answer, the answer of the last 15 minutes counts; undefined without one.
	 */
	ask(tenantId: string): Promise<Subscription | null | undefined>;
	/** Forgets what is known of a tenant; an answer under way by then is given to who waits, and not kept. */
	drop(tenantId: string): void;
	/**
	 * Whether changes are heard of. What was learned before they are heard of again may have been overtaken unheard: it is asked for
	 * anew, and serves where nobody answers.
	 */
	hear(isHearing: boolean): void;
};

export type SubscriptionClaimsOptions = {
	url: string;
	apiKey: string;
	/** This tenant has no subscription and needs none. */
	platformOwnerSlug: string;
	now: () => Date;
	onError: (error: unknown) => void;
	fetch?: typeof fetch;
};

const timeoutMs = 300;
/** A decision waits longer than a sign-in. */
const decisionTimeoutMs = 2_000;
const freshMs = 60_000;
const lastKnownMs = 15 * 60_000;
/**
 * Who sign in do not wait for what is down: for this long nothing is asked where nobody answered, and nothing of one tenant
 * where the answer about it was no good.
 */
const pauseMs = 1_000;
const cacheMax = 10_000;
const answer = Compile(Subscription);

/** An answer; null when the tenant has no subscription. */
type Answered = { subscription: Subscription | null };
type Known = Answered & { at: number; hearing: number };

export function createSubscriptionClaims(options: SubscriptionClaimsOptions): SubscriptionClaims {
	const { platformOwnerSlug, now, onError } = options;
	const known = new LRUCache<string, Known>({ max: cacheMax });
	const asking = new Map<string, Promise<Answered | undefined>>();
	const failed = new LRUCache<string, number>({ max: cacheMax });
	let unansweredAt = Number.NEGATIVE_INFINITY;
	/** Counts what was dropped: an answer that was asked for before may be what was true before. */
	let drops = 0;
	let isHearing = true;
	/** Counts the times that changes began or ceased to be heard of: what was learned in another is not believed without asking. */
	let hearing = 0;

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
			if (began === drops) known.set(tenantId, { at: now().getTime(), hearing, subscription });
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
	/** One question at a time about a tenant; who comes after a drop does not share in one asked before. */
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
			const isBelieved = isHearing && last?.hearing === hearing;
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
		hear(isHearingNow) {
			drops += 1;
			asking.clear();
			hearing += 1;
			isHearing = isHearingNow;
		},
	};
}

/** Asks once about a tenant. Throws when the answer is no good, and tells when there was none. */
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
