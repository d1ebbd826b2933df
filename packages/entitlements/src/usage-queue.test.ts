import type { UsageEvent } from "@lango/contracts";
import { expect, test, vi } from "vitest";
import { EntitlementsUnavailable } from "./ask.ts";
import { UsageRefused } from "./call-usage.ts";
import { type DroppedReports, queueUsage } from "./usage-queue.ts";

const event = (id: string): UsageEvent => ({
	id,
	metric: "order_count",
	value: 1,
	at: "2026-03-01T12:00:00Z",
});
const events = (count: number) => Array.from({ length: count }, (_, at) => event(`e${at}`));
const away = () => new EntitlementsUnavailable(new Error("away"));

/** Opens a queue with the given send function and records its calls. */
function open(send: (ids: string[], attempt: number) => void = () => {}, waitingMax = 1_000) {
	const sent: string[][] = [];
	const dropped: DroppedReports[] = [];
	const delayed: Array<[waiting: number, pauseMs: number]> = [];
	const queue = queueUsage({
		send: async (tenantId, given) => {
			const ids = given.map(({ id }) => id);
			sent.push([tenantId, ...ids]);
			send(ids, sent.length);
		},
		onDropped: (one) => void dropped.push(one),
		onDelayed: ({ waiting, pauseMs }) => void delayed.push([waiting, pauseMs]),
		waitingMax,
		intervalMs: 1_000,
	});
	return { queue, sent, dropped, delayed };
}

test("events are sent by tenant, in order, at most a hundred at a time", async () => {
	const { queue, sent } = open();
	for (const one of events(150)) queue.add("a", one);
	queue.add("b", event("x"));
	await queue.flush();
	expect(sent.map((batch) => [batch[0], batch.length - 1])).toEqual([
		["a", 100],
		["a", 50],
		["b", 1],
	]);
	expect(sent[0]?.slice(1, 3)).toEqual(["e0", "e1"]);
	expect(queue.waiting).toBe(0);
});

test("a full queue refuses events, and accepts them again after a send", async () => {
	const { queue } = open(undefined, 2);
	expect([queue.add("a", event("1")), queue.add("a", event("2")), queue.add("b", event("3"))]).toEqual([
		true,
		true,
		false,
	]);
	await queue.flush();
	expect(queue.add("b", event("3"))).toBe(true);
});

test("events without a response are sent again with the same ids after doubling pauses, and each delay is reported", async () => {
	vi.useFakeTimers();
	try {
		const { queue, sent, dropped, delayed } = open((_ids, attempt) => {
			if (attempt < 4) throw away();
		});
		queue.add("a", event("1"));
		const attempts: number[] = [];
		for (let second = 1; second <= 16; second += 1) {
			await vi.advanceTimersByTimeAsync(1_000);
			while (attempts.length < sent.length) attempts.push(second);
		}
		expect(attempts).toEqual([1, 3, 7, 15]);
		expect(new Set(sent.map((batch) => batch.join()))).toEqual(new Set(["a,1"]));
		expect([queue.waiting, dropped.length]).toEqual([0, 0]);
		expect(delayed).toEqual([
			[1, 2_000],
			[1, 4_000],
			[1, 8_000],
		]);
	} finally {
		vi.useRealTimers();
	}
});

test("the one invalid event of a hundred is found and dropped, and the others are counted", async () => {
	const counted = new Set<string>();
	const { queue, dropped } = open((ids) => {
		if (ids.includes("e57")) throw new UsageRefused(400, { code: "metric_unknown" });
		for (const id of ids) counted.add(id);
	});
	for (const one of events(100)) queue.add("a", one);
	await queue.flush();
	expect(counted.size).toBe(99);
	expect(dropped).toEqual([{ tenantId: "a", events: [event("e57")], reason: expect.any(UsageRefused) }]);
});

test("the events of a tenant without a subscription are dropped together", async () => {
	const { queue, sent, dropped } = open(() => {
		throw new UsageRefused(404, { code: "no_subscription" });
	});
	for (const one of events(5)) queue.add("a", one);
	await queue.flush();
	expect([sent.length, dropped[0]?.events.length, queue.waiting]).toEqual([1, 5, 0]);
});

test("a batch that is too large is halved until it fits", async () => {
	const { queue, sent, dropped } = open((ids) => {
		if (ids.length > 30) throw new UsageRefused(413, { code: "body_too_large" });
	});
	for (const one of events(100)) queue.add("a", one);
	await queue.flush();
	expect(sent.map((batch) => batch.length - 1)).toEqual([100, 50, 25, 25, 50, 25, 25]);
	expect([queue.waiting, dropped.length]).toEqual([0, 0]);
});

test("a tenant without responses does not delay other tenants, and its delay is reported", async () => {
	const { queue, sent, dropped, delayed } = open((_ids, attempt) => {
		if (sent[attempt - 1]?.[0] === "bad") throw away();
	});
	queue.add("bad", event("1"));
	for (const tenantId of ["good", "better"]) for (const one of events(150)) queue.add(tenantId, one);
	await expect(queue.flush()).rejects.toBeInstanceOf(EntitlementsUnavailable);
	expect(sent.map((batch) => [batch[0], batch.length - 1])).toEqual([
		["bad", 1],
		["good", 100],
		["good", 50],
		["better", 100],
		["better", 50],
	]);
	expect([queue.waiting, dropped.length, delayed.length]).toEqual([1, 0, 0]);
	await queue.stop(1_000);
});

test("while some tenants get responses the pause does not grow, and the delay of the others is reported each time", async () => {
	vi.useFakeTimers();
	try {
		const { queue, sent, delayed } = open((_ids, attempt) => {
			if (sent[attempt - 1]?.[0] === "bad") throw away();
		});
		queue.add("bad", event("0"));
		for (let second = 1; second <= 3; second += 1) {
			queue.add("good", event(`${second}`));
			await vi.advanceTimersByTimeAsync(1_000);
		}
		expect(sent.map(([tenantId]) => tenantId)).toEqual(["bad", "good", "bad", "good", "bad", "good"]);
		expect(delayed).toEqual([
			[1, 1_000],
			[1, 1_000],
			[1, 1_000],
		]);
	} finally {
		vi.useRealTimers();
	}
});

test("after three tenants without a response the attempt ends, and the next one starts with the others", async () => {
	const { queue, sent } = open(() => {
		throw away();
	});
	for (const tenantId of ["a", "b", "c", "d", "e"]) queue.add(tenantId, event("1"));
	for (let attempt = 0; attempt < 2; attempt += 1)
		await expect(queue.flush()).rejects.toBeInstanceOf(EntitlementsUnavailable);
	expect(sent.map(([tenantId]) => tenantId)).toEqual(["a", "b", "c", "d", "e", "a"]);
	await queue.stop(1_000);
});

test("stop sends the waiting events and reports those that cannot be sent", async () => {
	const good = open();
	good.queue.add("a", event("1"));
	await good.queue.stop(1_000);
	expect([good.sent.length, good.dropped.length]).toEqual([1, 0]);
	const bad = open(() => {
		throw away();
	});
	bad.queue.add("a", event("1"));
	await bad.queue.stop(1_000);
	expect(bad.dropped).toEqual([
		{ tenantId: "a", events: [event("1")], reason: expect.any(EntitlementsUnavailable) },
	]);
	expect(bad.queue.add("a", event("2"))).toBe(false);
});

test("stop does not wait for a service that does not respond", async () => {
	const dropped: DroppedReports[] = [];
	const queue = queueUsage({
		send: () => new Promise(() => {}),
		onDropped: (one) => void dropped.push(one),
		waitingMax: 10,
		intervalMs: 1_000,
	});
	queue.add("a", event("1"));
	await queue.stop(20);
	expect(dropped.map(({ events: left }) => left.length)).toEqual([1]);
});

test("events added during a send are sent at the stop too, or reported as dropped", async () => {
	const sending = Promise.withResolvers<void>();
	const { queue, sent, dropped } = open((ids) => {
		if (ids.includes("late")) throw away();
	});
	const slow = queueUsage({
		send: async (tenantId) => {
			sent.push([tenantId]);
			if (tenantId === "a") await sending.promise;
		},
		onDropped: (one) => void dropped.push(one),
		waitingMax: 10,
		intervalMs: 1_000,
	});
	slow.add("a", event("1"));
	const flushing = slow.flush();
	slow.add("b", event("2"));
	const stopping = slow.stop(1_000);
	sending.resolve();
	await Promise.all([flushing, stopping]);
	expect([sent, slow.waiting, dropped]).toEqual([[["a"], ["b"]], 0, []]);
	queue.add("c", event("late"));
	await queue.stop(1_000);
	expect(dropped.map(({ tenantId }) => tenantId)).toEqual(["c"]);
});
