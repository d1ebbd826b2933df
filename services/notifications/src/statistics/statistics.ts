import type { Channel } from "../channel.ts";
import { channels } from "../channel.ts";
import type { DeliveryStatus } from "../delivery.ts";
import type { DayCount } from "./statistics.store.ts";

/** The states of deliveries that a provider accepted. */
const sentStatuses: ReadonlySet<DeliveryStatus> = new Set([
	"sent",
	"delivered",
	"read",
	"undelivered",
	"bounced",
]);

/** The sum of a span on a channel. A rate is a share of what was sent; null if nothing was. */
export type ChannelTotal = {
	channel: Channel;
	accepted: number;
	sent: number;
	bounced: number;
	complaints: number;
	bounceRate: number | null;
	complaintRate: number | null;
};

/** Sums counts by channel. Channels without deliveries and complaints are left out. */
export function sumByChannel(
	counts: readonly DayCount[],
	complaintsOf: ReadonlyMap<Channel, number>,
): ChannelTotal[] {
	return channels.flatMap((channel) => {
		const own = counts.filter((one) => one.channel === channel);
		const sum = (of: (status: DeliveryStatus) => boolean) =>
			own.filter(({ status }) => of(status)).reduce((total, { count }) => total + count, 0);
		const accepted = sum(() => true);
		const sent = sum((status) => sentStatuses.has(status));
		const bounced = sum((status) => status === "bounced");
		const complaints = complaintsOf.get(channel) ?? 0;
		if (accepted === 0 && complaints === 0) return [];
		const rates = { bounceRate: rateOf(bounced, sent), complaintRate: rateOf(complaints, sent) };
		return [{ channel, accepted, sent, bounced, complaints, ...rates }];
	});
}

const rateOf = (count: number, of: number) => (of === 0 ? null : Math.round((count / of) * 10_000) / 10_000);
