import { expect, test } from "vitest";
import { sumByChannel } from "./statistics.ts";

test("rates are shares of what a provider accepted, and null if nothing was sent", () => {
	const counts = [
		{ day: "2026-11-01", channel: "email", status: "delivered", count: 97 },
		{ day: "2026-11-02", channel: "email", status: "bounced", count: 3 },
		{ day: "2026-11-02", channel: "email", status: "failed", count: 50 },
		{ day: "2026-11-02", channel: "sms", status: "skipped_no_credit", count: 4 },
	] as const;
	expect(sumByChannel(counts, new Map([["email", 1]]))).toEqual([
		{
			...{ channel: "email", accepted: 150, sent: 100, bounced: 3, complaints: 1 },
			...{ bounceRate: 0.03, complaintRate: 0.01 },
		},
		{
			...{ channel: "sms", accepted: 4, sent: 0, bounced: 0, complaints: 0 },
			...{ bounceRate: null, complaintRate: null },
		},
	]);
});
