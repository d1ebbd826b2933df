import { expect, test } from "vitest";
import { fillMinutes, minutesShown } from "./minutes.ts";

const now = new Date("2026-03-02T08:00:30Z");

test("the last hour has every minute, the oldest first, and zero where nothing was sent", () => {
	const sent = { minute: "2026-03-02T07:59:00.000Z", sent: 4, errors: 1, slow: 2 };
	const filled = fillMinutes([sent], now);
	expect(filled).toHaveLength(minutesShown);
	expect(filled[0]).toEqual({ minute: "2026-03-02T07:01:00.000Z", sent: 0, errors: 0, slow: 0 });
	expect(filled.at(-2)).toEqual(sent);
	expect(filled.at(-1)?.minute).toBe("2026-03-02T08:00:00.000Z");
});

test("minutes before the hour are left out", () => {
	const old = { minute: "2026-03-02T07:00:00.000Z", sent: 4, errors: 1, slow: 2 };
	expect(fillMinutes([old], now).every(({ sent }) => sent === 0)).toBe(true);
});
