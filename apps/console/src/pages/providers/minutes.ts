import type { Minute } from "./provider.queries.ts";

/** Minutes that a chart shows. */
export const minutesShown = 60;
const minuteMs = 60_000;

/** The last hour until `now`, the oldest first: minutes without calls are zero. */
export function fillMinutes(items: readonly Minute[], now: Date): Minute[] {
	const byTime = new Map(items.map((item) => [new Date(item.minute).getTime(), item]));
	const last = Math.floor(now.getTime() / minuteMs) * minuteMs;
	return Array.from({ length: minutesShown }, (_, index) => {
		const at = last - (minutesShown - 1 - index) * minuteMs;
		return byTime.get(at) ?? { minute: new Date(at).toISOString(), sent: 0, errors: 0, slow: 0 };
	});
}
