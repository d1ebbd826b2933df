import type { UsageEvent } from "@lango/contracts";
import { expect, test, vi } from "vitest";
import { EntitlementsUnavailable } from "./ask.ts";
import { UsageRefused } from "./call-usage.ts";
import { type DroppedReports, sendReports } from "./send-reports.ts";

const event = (id: string): UsageEvent => ({
	id,
	metric: "order_count",
	value: 1,
	at: "2026-03-01T12:00:00Z",
});
const events = (count: number) => Array.from({ length: count }, (_, at) => event(`e${at}`));

/** Sends events by the given function. Returns the ids of each request, and the dropped reports. */
async function report(given: readonly UsageEvent[], send: (ids: string[]) => void = () => {}) {
	const sent: string[][] = [];
	const dropped: DroppedReports[] = [];
	const sending = {
		send: async (_tenantId: string, batch: readonly UsageEvent[]) => {
			const ids = batch.map(({ id }) => id);
			sent.push(ids);
			send(ids);
		},
		onDropped: (one: DroppedReports) => void dropped.push(one),
	};
	await sendReports(sending, "a", given);
	return { sent, dropped };
}

test("events are sent in order, at most a hundred at a time", async () => {
	const given = events(150);
	const { sent } = await report(given);
	expect(sent.map(({ length }) => length)).toEqual([100, 50]);
	expect(sent.flat()).toEqual(given.map(({ id }) => id));
});

test("without a response the other events are not sent", async () => {
	const noResponse = vi.fn(() => {
		throw new EntitlementsUnavailable(new Error("unavailable"));
	});
	await expect(report(events(150), noResponse)).rejects.toBeInstanceOf(EntitlementsUnavailable);
	expect(noResponse).toHaveBeenCalledOnce();
});

test("the one invalid event of a hundred is found and dropped, and the others are counted", async () => {
	const counted = new Set<string>();
	const { dropped } = await report(events(100), (ids) => {
		if (ids.includes("e57")) throw new UsageRefused(400, { code: "metric_unknown" });
		for (const id of ids) counted.add(id);
	});
	expect(counted.size).toBe(99);
	expect(dropped).toEqual([{ tenantId: "a", events: [event("e57")], reason: expect.any(UsageRefused) }]);
});

test("the events of a tenant without a subscription are dropped together", async () => {
	const { sent, dropped } = await report(events(5), () => {
		throw new UsageRefused(404, { code: "no_subscription" });
	});
	expect([sent.length, dropped[0]?.events.length]).toEqual([1, 5]);
});

test("a batch that is too large is halved until it fits", async () => {
	const { sent, dropped } = await report(events(100), (ids) => {
		if (ids.length > 30) throw new UsageRefused(413, { code: "body_too_large" });
	});
	expect(sent.map(({ length }) => length)).toEqual([100, 50, 25, 25, 50, 25, 25]);
	expect(dropped).toEqual([]);
});
