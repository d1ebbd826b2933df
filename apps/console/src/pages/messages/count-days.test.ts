import { expect, test } from "vitest";
import { sumByDay } from "./count-days.ts";

test("every day has its counts, also a day without deliveries", () => {
	const row = (day: string, status: string, count: number) => ({
		day,
		status,
		count,
		channel: "email" as const,
	});
	const days = [
		row("2026-03-01", "bounced", 1),
		row("2026-03-01", "queued", 2),
		row("2026-03-03", "failed", 4),
	];
	expect(sumByDay({ from: "2026-03-01", to: "2026-03-03", days })).toEqual([
		{ day: "2026-03-01", all: 3, sent: 1, open: 2 },
		{ day: "2026-03-02", all: 0, sent: 0, open: 0 },
		{ day: "2026-03-03", all: 4, sent: 0, open: 0 },
	]);
});
