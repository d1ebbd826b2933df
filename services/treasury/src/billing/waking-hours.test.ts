import { expect, test } from "vitest";
import { hoursUntilDay } from "./waking-hours.ts";

test.each([
	["2026-11-26T05:00:00Z", 0],
	["2026-11-26T16:59:00Z", 0],
	["2026-11-26T17:00:00Z", 12],
	["2026-11-26T21:30:00Z", 8],
	["2026-11-26T04:59:00Z", 1],
])("at %s people in Nairobi may be asked in %i hours", (at, hours) => {
	expect(hoursUntilDay(new Date(at), "Africa/Nairobi")).toBe(hours);
});
