import type { Statistics } from "./state/message.queries.ts";

/** The deliveries of a day: all, those that a provider accepted, and those that are not ended. */
export type DayCount = { day: string; all: number; sent: number; open: number };

const sentStatuses: readonly string[] = ["sent", "delivered", "read", "undelivered", "bounced"];
const openStatuses: readonly string[] = ["queued", "sending", "unknown", "digested"];
const dayMs = 86_400_000;

/** The counts of every day of the statistics, also of days without deliveries. */
export function sumByDay({ from, to, days }: Pick<Statistics, "from" | "to" | "days">): DayCount[] {
	const length = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1);
	return Array.from({ length }, (_, index) => {
		const day = new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10);
		const ofDay = days.filter((one) => one.day === day);
		const sum = (isCounted: (status: string) => boolean) =>
			ofDay.reduce((total, { status, count }) => total + (isCounted(status) ? count : 0), 0);
		return {
			day,
			all: sum(() => true),
			sent: sum((status) => sentStatuses.includes(status)),
			open: sum((status) => openStatuses.includes(status)),
		};
	});
}
