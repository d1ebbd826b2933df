import { setTimeout as sleep } from "node:timers/promises";
import { hasBus, startTestBus, type TestBus } from "@lango/testkit";
import { AckPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, nanos } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../src/nats/listen.ts";

// The memory of a reader whose inbox is full, on a server with an ack timeout of half a second.

describe.runIf(hasBus())("a reader that takes nothing over", () => {
	const sent = 40;
	let bus: TestBus;
	let nc: NatsConnection;
	beforeAll(async () => {
		bus = await startTestBus();
		nc = await connect({ servers: bus.url });
		const jsm = await jetstreamManager(nc);
		await jsm.streams.add({ name: "TRIAL", subjects: ["trial.>"] });
		await jsm.consumers.add("TRIAL", {
			durable_name: "pos",
			ack_policy: AckPolicy.Explicit,
			ack_wait: nanos(500),
		});
		for (let n = 1; n <= sent; n += 1) await jetstream(nc).publish("trial.counted", String(n));
	});
	afterAll(async () => {
		await nc?.close();
		await bus?.stop();
	});

	test("contains each message once for any number of deliveries, and acknowledges messages that were stored already", async () => {
		const consumer = await jetstream(nc).consumers.get("TRIAL", "pos");
		let storedUpTo = 0;
		const { queue, close } = await listen(consumer, { end: () => undefined, storedUpTo: () => storedUpTo });
		await sleep(3_000);
		const { num_redelivered } = await consumer.info();
		expect(num_redelivered).toBe(sent);
		const held = queue.take(10_000).map(({ seq }) => seq);
		expect(held).toEqual(Array.from({ length: sent }, (_, n) => n + 1));
		storedUpTo = 30;
		await expect.poll(async () => (await consumer.info()).ack_floor.stream_seq).toBe(storedUpTo);
		expect(queue.take(10_000)).toEqual([]);
		await close();
	});
});
