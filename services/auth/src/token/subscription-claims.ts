import { Subscription } from "@lango/contracts";
import { Compile } from "typebox/compile";

/** Asks the subscription service what a tenant's tokens may say. Never fails: a sign-in does not wait for it, nor fail with it. */
export type SubscriptionClaims = {
	/** The tenant's subscription; undefined when it has none, or when nobody could be asked for a while. */
	find(tenant: { id: string; slug: string }): Promise<Subscription | undefined>;
	/** Forgets what is known of a tenant; an answer under way by then is given to who waits, and not kept. */
	drop(tenantId: string): void;
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
const freshMs = 60_000;
const lastKnownMs = 15 * 60_000;
/** After a failure nobody is asked for this long: those who sign in meanwhile do not wait for what is down. */
const pauseMs = 1_000;
const cacheMax = 10_000;
const answer = Compile(Subscription);

type Known = { at: number; subscription: Subscription | undefined };

export function createSubscriptionClaims(options: SubscriptionClaimsOptions): SubscriptionClaims {
	const { url, apiKey, platformOwnerSlug, now, onError, fetch: get = fetch } = options;
	const known = new Map<string, Known>();
	const asking = new Map<string, Promise<Subscription | undefined>>();
	let failedAt = Number.NEGATIVE_INFINITY;
	/** Counts what was dropped: an answer that was asked for before may be what was true before. */
	let drops = 0;

	const ask = async (tenantId: string): Promise<Subscription | undefined> => {
		const response = await get(`${url}/api/v1/tenants/${tenantId}/subscription`, {
			headers: { "x-api-key": apiKey, accept: "application/json" },
			signal: AbortSignal.timeout(timeoutMs),
		});
		const body: unknown = await response.json();
		if (response.status === 404 && (body as { code?: string }).code === "no_subscription") return undefined;
		if (!response.ok || !answer.Check(body))
			throw new Error(`the subscription service answered ${response.status}`);
		return body;
	};
	const remember = (tenantId: string, subscription: Subscription | undefined) => {
		known.delete(tenantId);
		known.set(tenantId, { at: now().getTime(), subscription });
		const oldest = known.size > cacheMax ? known.keys().next().value : undefined;
		if (oldest !== undefined) known.delete(oldest);
	};
	const lastKnown = (tenantId: string): Subscription | undefined => {
		const last = known.get(tenantId);
		return last !== undefined && now().getTime() - last.at < lastKnownMs ? last.subscription : undefined;
	};
	const refresh = async (tenantId: string): Promise<Subscription | undefined> => {
		const began = drops;
		try {
			const subscription = await ask(tenantId);
			if (began === drops) remember(tenantId, subscription);
			return subscription;
		} catch (error) {
			onError(error);
			failedAt = now().getTime();
			return lastKnown(tenantId);
		}
	};
	/** One question at a time about a tenant; who comes after a drop does not share in one asked before. */
	const askOnce = (tenantId: string): Promise<Subscription | undefined> => {
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
			if (slug === platformOwnerSlug) return undefined;
			const last = known.get(id);
			if (last !== undefined && now().getTime() - last.at < freshMs) return last.subscription;
			if (now().getTime() - failedAt < pauseMs) return lastKnown(id);
			return askOnce(id);
		},
		drop(tenantId) {
			drops += 1;
			known.delete(tenantId);
			asking.delete(tenantId);
		},
	};
}
