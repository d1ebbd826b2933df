import type { EventEnvelope } from "@lango/contracts";
import { afterEach, expect, test, vi } from "vitest";
import { inProcessTransport } from "./in-process-transport.ts";
import type { Message, Observation, Subscription } from "./transport.ts";

afterEach(() => void vi.useRealTimers());

const event: EventEnvelope = {
	specversion: "1.0",
	id: "0197a000-0000-7000-8000-000000000001",
	source: "/trial",
	type: "trial.made",
	time: "2026-03-01T12:00:00.000Z",
	subject: "a",
	datacontenttype: "application/json",
	data: { list: [1] },
};
const types = ["trial.made"];

/** A subscription whose inbox calls `keep` for each message. */
const subscriptionOf = (
	consumer: string,
	keep: (messages: readonly Message[]) => Promise<void>,
): Subscription => ({
	consumer,
	types,
	now: () => new Date(),
	onError: (error) => expect.fail(String(error)),
	inbox: {
		keep: async (messages) => {
			await keep(messages);
			return true;
		},
		room: async () => {},
		acquireLease: async () => ({ sequence: 0, streamMadeAt: undefined, replayFrom: undefined }),
		renewLease: async () => true,
		move: async () => true,
		releaseLease: async () => {},
		isReplayRequested: async () => false,
	},
});

const observationOf = (deliver: (envelope: EventEnvelope) => void): Observation => ({
	types,
	deliver,
	onGap: () => expect.fail("the in-process transport has no gaps"),
	onError: (error) => expect.fail(String(error)),
});

test("an event without subscribers can be published", async () => {
	await expect(inProcessTransport().publish(event)).resolves.toBeUndefined();
});

test("every subscriber receives its own copy", async () => {
	const transport = inProcessTransport();
	const seen: unknown[] = [];
	const change = ({ data }: EventEnvelope) => {
		const { list } = data as { list: number[] };
		list.push(2);
		seen.push(list);
	};
	for (let n = 0; n < 2; n += 1) await transport.observe(observationOf(change));
	await transport.publish(event);
	expect(seen).toEqual([
		[1, 2],
		[1, 2],
	]);
	expect(event.data).toEqual({ list: [1] });
});

test("publish rejects with the errors of all failed subscribers; the others have stored the event", async () => {
	const transport = inProcessTransport();
	const had: string[] = [];
	const faults = { pos: new Error("one"), ordering: undefined, inventory: new Error("two") };
	for (const [consumer, fault] of Object.entries(faults)) {
		const keep = async () => {
			if (fault !== undefined) throw fault;
			had.push(consumer);
		};
		await transport.subscribe(subscriptionOf(consumer, keep));
	}
	await expect(transport.publish(event)).rejects.toMatchObject({
		message: "2 of 3 consumers failed",
		errors: [faults.pos, faults.inventory],
	});
	expect(had).toEqual(["ordering"]);
	await transport.close();
});

test("a second subscription with the same name is refused until the first one has stopped", async () => {
	const transport = inProcessTransport();
	const subscription = subscriptionOf("pos", async () => {});
	const { stop } = await transport.subscribe(subscription);
	await expect(transport.subscribe(subscription)).rejects.toThrow('the consumer "pos" is subscribed already');
	await stop();
	await expect(transport.subscribe(subscription)).resolves.toBeDefined();
	await transport.close();
});

test("close waits for running deliveries; afterwards publish, observe and subscribe are refused", async () => {
	const transport = inProcessTransport();
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	await transport.subscribe(subscriptionOf("pos", () => gate));
	const publishing = transport.publish(event);
	let isClosed = false;
	const closing = transport.close().then(() => {
		isClosed = true;
	});
	await new Promise((resolve) => setTimeout(resolve, 10));
	expect(isClosed).toBe(false);
	release();
	await Promise.all([closing, publishing]);
	const refused = "the transport is closed";
	await expect(transport.publish(event)).rejects.toThrow(refused);
	await expect(transport.subscribe(subscriptionOf("x", async () => {}))).rejects.toThrow(refused);
	await expect(transport.observe(observationOf(() => {}))).rejects.toThrow(refused);
	await expect(transport.check()).rejects.toThrow(refused);
});

test("a subscriber that could not catch up receives no new events", async () => {
	const transport = inProcessTransport();
	await transport.subscribe({ ...subscriptionOf("pos", async () => {}), onError: () => {} });
	const list = () => Promise.reject(new Error("the database is away"));
	await transport.announce({ list });
	await expect(transport.publish(event)).rejects.toMatchObject({
		errors: [new Error("pos has not caught up yet")],
	});
	await transport.close();
});

test("a subscriber that nothing is asked of stores its time once a minute, and notices a replay within seconds", async () => {
	vi.useFakeTimers();
	const transport = inProcessTransport();
	const subscription = subscriptionOf("pos", async () => {});
	let isReplayRequested = false;
	let moves = 0;
	await transport.subscribe({
		...subscription,
		inbox: {
			...subscription.inbox,
			isReplayRequested: async () => isReplayRequested,
			move: async () => {
				moves += 1;
				return true;
			},
		},
	});
	await transport.announce({ list: async () => [] });
	await vi.advanceTimersByTimeAsync(4 * 60_000);
	expect(moves).toBe(4);
	isReplayRequested = true;
	await vi.advanceTimersByTimeAsync(3_000);
	expect(moves).toBe(5);
	await transport.close();
});
