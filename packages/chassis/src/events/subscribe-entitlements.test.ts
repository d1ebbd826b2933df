import { type EventEnvelope, type Subscription, subscriptionEntitlementsChanged } from "@lango/contracts";
import { inProcessTransport } from "@lango/events";
import { expect, test } from "vitest";
import type { Context } from "../service.ts";
import { subscribeEntitlements } from "./subscribe-entitlements.ts";

type Observation = Parameters<Context["transport"]["observe"]>[0];

/** What is heard, as far as a gate's memory is told of it. */
async function hear() {
	const did: string[] = [];
	let heard: Observation | undefined;
	const transport: Context["transport"] = {
		...inProcessTransport(),
		observe: async (observation) => {
			heard = observation;
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
			apply: ({ version }: Subscription, toldAt) =>
				void did.push(`apply ${version} ${toldAt?.toISOString()}`),
			dropAll: () => void did.push("drop all"),
		},
	);
	if (heard === undefined || stop === undefined) throw new Error("nothing is heard");
	return { did, heard, stop };
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
const told = (data: unknown): EventEnvelope => ({
	specversion: "1.0",
	id: "01950000-0000-7000-8000-000000000001",
	source: "/subscriptions",
	type: subscriptionEntitlementsChanged.type,
	time: "2026-03-01T12:00:00.000Z",
	subject: snapshot.tenant_id,
	datacontenttype: "application/json",
	data,
});

test("a snapshot that is told is taken in with the time it was told at", async () => {
	const { did, heard } = await hear();
	expect(heard.types).toEqual(["subscription.entitlements_changed"]);
	heard.deliver(told(snapshot));
	expect(did).toEqual(["apply 7 2026-03-01T12:00:00.000Z"]);
});

test("after a gap all that is held is dropped", async () => {
	const { did, heard } = await hear();
	heard.onGap();
	expect(did).toEqual(["drop all"]);
});

test("what is not as its contract says is logged and changes nothing", async () => {
	const { did, heard } = await hear();
	heard.deliver(told({ ...snapshot, version: "7" }));
	expect(did).toEqual(["error"]);
});

test("hearing ends with the service", async () => {
	const { did, stop } = await hear();
	await stop();
	expect(did).toEqual(["stop"]);
});
