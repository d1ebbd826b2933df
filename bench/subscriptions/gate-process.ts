/**
 * A gate in its own process with the parts of every domain service: the cache of snapshots, the bus, the
 * request to the subscription service. It checks its own decision every millisecond.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createLog, subscribeEntitlements } from "@lango/chassis";
import { createEntitlements, type Entitlements } from "@lango/entitlements";
import { natsTransport } from "@lango/events";

/**
 * Messages, one at a time: `open` once, then alternately `watch`, which is answered when the gate is
 * watching, and `seen`.
 */
export type GateJob =
	| { kind: "open"; busUrl: string; subscriptionsUrl: string; apiKey: string }
	| { kind: "watch"; tenantId: string; feature: string; isWanted: boolean }
	| { kind: "seen" };

const waitMsMax = 10_000;
let gate: Entitlements | undefined;
let watching: Promise<number> | undefined;

async function open({ busUrl, ...address }: Extract<GateJob, { kind: "open" }>): Promise<Entitlements> {
	const log = createLog("gate", "warn");
	const onError = (err: unknown, about: string) => log.error({ err, about }, "bus");
	const transport = natsTransport({ url: busUrl, name: `gate-${process.pid}`, onError });
	const entitlements = createEntitlements({ ...address, now: () => new Date() });
	await subscribeEntitlements({ transport, log, onStop: () => undefined }, entitlements);
	return entitlements;
}

/**
 * The time (milliseconds since 1970) of the first expected decision. Throws an Error if it does not come in
 * time.
 */
async function watch(
	entitlements: Entitlements,
	{ tenantId, feature, isWanted }: Extract<GateJob, { kind: "watch" }>,
): Promise<number> {
	const end = Date.now() + waitMsMax;
	while ((await entitlements.hasFeature({ tenantId }, feature)) !== isWanted) {
		if (Date.now() > end)
			throw new Error(`the gate of ${tenantId} did not apply the change in ${waitMsMax} ms`);
		await sleep(1);
	}
	return Date.now();
}

async function answer(job: GateJob): Promise<number> {
	if (job.kind === "open") gate = await open(job);
	if (gate === undefined) throw new Error("the gate is not open");
	if (job.kind === "watch") {
		if ((await gate.hasFeature({ tenantId: job.tenantId }, job.feature)) === job.isWanted)
			throw new Error("the gate has the expected decision before the change");
		watching = watch(gate, job);
		watching.catch(() => undefined); // Its rejection is reported where it is awaited.
	}
	return job.kind === "seen" && watching !== undefined ? watching : 0;
}

process.on("message", async (job: GateJob) => {
	try {
		process.send?.({ result: await answer(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
