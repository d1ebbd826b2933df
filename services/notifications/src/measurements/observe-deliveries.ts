import { type Domain, observe } from "@lango/chassis";
import { channels } from "../channel.ts";
import { deliveryStatuses } from "../delivery.ts";
import type { Settled } from "../dispatch/settle.store.ts";
import { classes } from "../message.ts";
import { type DeliveryMeasurements, measureDeliveries } from "./measurement.store.ts";

/** Measurements that were read this long ago are read again. */
const keptMs = 5_000;

/**
 * Reports what operators watch: how long due deliveries wait, unknown outcomes, degraded providers, tenants
 * whose e-mail is paused, and the states that deliveries of this process reached. Returns the function that
 * counts the latter.
 */
export function observeDeliveries({
	db,
	meter,
	now,
}: Pick<Domain, "db" | "meter" | "now">): (settled: readonly Settled[]) => void {
	let read: { at: number; result: Promise<DeliveryMeasurements> } | undefined;
	const measured = () => {
		const at = now().getTime();
		if (read === undefined || at - read.at >= keptMs) read = { at, result: measureDeliveries(db, now()) };
		return read.result;
	};
	observe(meter, "lango.deliveries.due_age", async () => {
		const { dueSeconds } = await measured();
		return classes.map((one) => ({
			value: dueSeconds[one] ?? 0,
			attributes: { "lango.delivery.class": one },
		}));
	});
	observe(meter, "lango.deliveries.unknown", async () => [{ value: (await measured()).unknown }]);
	observe(meter, "lango.providers.degraded", async () => {
		const { degraded } = await measured();
		return ["email", "sms", "push", "whatsapp"].map((channel) => ({
			value: degraded[channel] ?? 0,
			attributes: { "lango.channel": channel },
		}));
	});
	observe(meter, "lango.reputation.paused", async () => [{ value: (await measured()).paused }]);
	const counts = createCounts();
	observe(meter, "lango.deliveries.settled", () =>
		[...counts.values()].map(({ channel, status, count }) => ({
			value: count,
			attributes: { "lango.channel": channel, "lango.delivery.status": status },
		})),
	);
	return (settled) => {
		for (const { channel, status } of settled) {
			const known = counts.get(`${channel} ${status}`);
			if (known === undefined) throw new Error(`${status} is not a state of a delivery`);
			known.count += 1;
		}
	};
}

type SettledCount = { channel: string; status: string; count: number };

/** From the start, because an alarm on an increase does not see the first count of a new series. */
function createCounts(): Map<string, SettledCount> {
	const counts = channels.flatMap((channel) =>
		deliveryStatuses.map((status): SettledCount => ({ channel, status, count: 0 })),
	);
	return new Map(counts.map((one) => [`${one.channel} ${one.status}`, one]));
}
