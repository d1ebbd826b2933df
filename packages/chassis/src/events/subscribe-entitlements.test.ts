import { type EventEnvelope, type Subscription, subscriptionEntitlementsChanged } from "@lango/contracts";
import { inProcessTransport } from "@lango/events";
import { expect, test } from "vitest";
import type { Context } from "../service.ts";
import { subscribeEntitlements } from "./subscribe-entitlements.ts";

type Observation = Parameters<Context["transport"]["observe"]>[0];

/** The subscription, and the calls that it makes on the cache of entitlements. */
async function subscribe() {
	const did: string[] = [];
	let observed: Observation | undefined;
	const transport: Context["transport"] = {
		...inProcessTransport(),
		observe: async (observation) => {
			observed = observation;
			return { stop: async () => void did.push("stop") };
		},
	};
	const log = { error: () => void did.push("error") } as unknown as Context["log"];
	let stop: (() => Promise<void>) | undefined;
	await subscribeEntitlements(
		{
			transport,
			log,
			onStop: (one) => {
				stop = one;
			},
		},
		{
			apply: ({ version }: Subscription, sentAt) =>
				void did.push(`apply ${version} ${sentAt?.toISOString()}`),
			dropAll: () => void did.push("drop all"),
		},
	);
	if (observed === undefined || stop === undefined) throw new Error("no subscription");
	return { did, observed, stop };
}

const snapshot: Subscription = {
	tenant_id: "7b0a1f0e-5c55-4f0e-9a5e-0d3c3c9a1b11",
	status: "ACTIVE",
	plan: "GROWTH",
	features: [],
	limits: {},
	products: [],
	expires_at: "2026-04-01T00:00:00.000Z",
	expiry: 1_775_001_600,
	access: "full",
	grace_until: null,
	trial_end: null,
	pending_change: null,
	version: 7,
	next_change_at: null,
};
const eventOf = (data: unknown): EventEnvelope => ({
	specversion: "1.0",
	id: "01950000-0000-7000-8000-000000000001",
	source: "/subscriptions",
	type: subscriptionEntitlementsChanged.type,
	time: "2026-03-01T12:00:00.000Z",
	subject: snapshot.tenant_id,
	datacontenttype: "application/json",
	data,
});

test("a snapshot is applied with the time of its event", async () => {
	const { did, observed } = await subscribe();
	expect(observed.types).toEqual(["subscription.entitlements_changed"]);
	observed.deliver(eventOf(snapshot));
	expect(did).toEqual(["apply 7 2026-03-01T12:00:00.000Z"]);
});

test("after a gap all that is held is dropped", async () => {
	const { did, observed } = await subscribe();
	observed.onGap();
	expect(did).toEqual(["drop all"]);
});

test("an event that does not match its contract is logged and changes nothing", async () => {
	const { did, observed } = await subscribe();
	observed.deliver(eventOf({ ...snapshot, version: "7" }));
	expect(did).toEqual(["error"]);
});

test("the subscription ends with the service", async () => {
	const { did, stop } = await subscribe();
	await stop();
	expect(did).toEqual(["stop"]);
});
