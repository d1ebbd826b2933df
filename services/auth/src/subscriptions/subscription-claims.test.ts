import type { Subscription } from "@lango/contracts";
import { testSubscription } from "@lango/testkit";
import { expect, test } from "vitest";
import { createSubscriptionClaims } from "./subscription-claims.ts";

const uhai = { id: "5f0c1f0e-1b1a-4b1c-8d1e-000000000001", slug: "uhai" };

/** A subscription service whose responses wait until the test releases them. */
function openClaims() {
	let at = 0;
	const waiting: Array<(subscription: Subscription) => void> = [];
	const claims = createSubscriptionClaims({
		url: "http://subscriptions.example",
		apiKey: "key",
		platformOwnerSlug: "lango",
		now: () => new Date(at),
		onError: (error) => {
			throw error;
		},
		fetch: () =>
			new Promise((resolve) => {
				waiting.push((subscription) => resolve(Response.json(subscription)));
			}),
	});
	const planned = (plan: string) => testSubscription(uhai.id, { plan });
	return {
		claims,
		asked: () => waiting.length,
		answer: (nth: number, plan: string) => waiting[nth]?.(planned(plan)),
		later: (ms: number) => {
			at += ms;
		},
	};
}

test("an answer is cached for a minute", async () => {
	const { claims, asked, answer, later } = openClaims();
	const first = claims.find(uhai);
	answer(0, "STARTER");
	expect((await first)?.plan).toBe("STARTER");
	later(59_000);
	expect((await claims.find(uhai))?.plan).toBe("STARTER");
	expect(asked()).toBe(1);
	later(1_000);
	const next = claims.find(uhai);
	answer(1, "GROWTH");
	expect((await next)?.plan).toBe("GROWTH");
});

test("a response in flight during an invalidation is not cached", async () => {
	const { claims, asked, answer } = openClaims();
	const early = claims.find(uhai);
	claims.drop(uhai.id);
	answer(0, "STARTER");
	await early;
	const late = claims.find(uhai);
	expect(asked()).toBe(2);
	answer(1, "GROWTH");
	expect((await late)?.plan).toBe("GROWTH");
	expect((await claims.find(uhai))?.plan).toBe("GROWTH");
});

test("a request after an invalidation does not share a response from before it", async () => {
	const { claims, answer } = openClaims();
	const early = claims.find(uhai);
	claims.drop(uhai.id);
	const late = claims.find(uhai);
	answer(1, "GROWTH");
	answer(0, "STARTER");
	expect([(await early)?.plan, (await late)?.plan]).toEqual(["STARTER", "GROWTH"]);
	expect((await claims.find(uhai))?.plan).toBe("GROWTH");
});

test("entries from before an interruption of the notifications are fetched again", async () => {
	const { claims, asked, answer } = openClaims();
	const first = claims.find(uhai);
	answer(0, "STARTER");
	await first;
	claims.setListening(false);
	claims.setListening(true);
	const next = claims.find(uhai);
	expect(asked()).toBe(2);
	answer(1, "GROWTH");
	expect((await next)?.plan).toBe("GROWTH");
	expect((await claims.find(uhai))?.plan).toBe("GROWTH");
	expect(asked()).toBe(2);
});

test("without notifications every sign-in fetches the subscription", async () => {
	const { claims, asked, answer } = openClaims();
	claims.setListening(false);
	for (const [nth, plan] of ["STARTER", "GROWTH"].entries()) {
		const found = claims.find(uhai);
		answer(nth, plan);
		expect((await found)?.plan).toBe(plan);
	}
	expect(asked()).toBe(2);
});

test("parallel callers share one request", async () => {
	const { claims, asked, answer } = openClaims();
	const all = [claims.find(uhai), claims.find(uhai), claims.find(uhai)];
	answer(0, "STARTER");
	expect((await Promise.all(all)).map((one) => one?.plan)).toEqual(["STARTER", "STARTER", "STARTER"]);
	expect(asked()).toBe(1);
});

test("no request is sent for the platform owner's tenant", async () => {
	const { claims, asked } = openClaims();
	expect(await claims.find({ id: uhai.id, slug: "lango" })).toBeNull();
	expect(asked()).toBe(0);
});

/** A subscription service that responds at once: as set for a tenant, otherwise with a plan. */
function openAnswers() {
	let at = 0;
	const asked: string[] = [];
	const said = new Map<string, () => Response>();
	const claims = createSubscriptionClaims({
		url: "http://subscriptions.example",
		apiKey: "key",
		platformOwnerSlug: "lango",
		now: () => new Date(at),
		onError: () => {},
		fetch: async (url) => {
			const [, id = ""] = /tenants\/([\w-]+)\//.exec(String(url)) ?? [];
			asked.push(id);
			return said.get(id)?.() ?? Response.json(testSubscription(id, { plan: "GROWTH" }));
		},
	});
	return {
		claims,
		said,
		timesAsked: (id: string) => asked.filter((one) => one === id).length,
		later: (ms: number) => {
			at += ms;
		},
	};
}

const duka = { id: "5f0c1f0e-1b1a-4b1c-8d1e-000000000002", slug: "duka" };

test.each<[string, () => Response]>([
	["a body of another shape", () => Response.json({ plan: 7 })],
	["a body that is not JSON", () => new Response("<html>")],
	["an error about it", () => Response.json({ code: "internal" }, { status: 500 })],
])("%s pauses the question of that tenant for a second, and of no other", async (_what, answer) => {
	const { claims, said, timesAsked, later } = openAnswers();
	said.set(uhai.id, answer);
	expect(await claims.find(uhai)).toBeUndefined();
	expect((await claims.find(duka))?.plan).toBe("GROWTH");
	later(999);
	await claims.find(uhai);
	expect(timesAsked(uhai.id)).toBe(1);
	said.delete(uhai.id);
	later(1);
	expect((await claims.find(uhai))?.plan).toBe("GROWTH");
});

test("when the service does not respond, no request is sent for a second", async () => {
	const { claims, said, timesAsked, later } = openAnswers();
	said.set(uhai.id, () => {
		throw new TypeError("fetch failed");
	});
	await claims.find(uhai);
	expect(await claims.find(duka)).toBeUndefined();
	expect(timesAsked(duka.id)).toBe(0);
	later(1_000);
	expect((await claims.find(duka))?.plan).toBe("GROWTH");
});
