import { expect, test } from "vitest";
import { wordTables } from "../texts/words.ts";
import { durationText } from "./countdown.tsx";

test.each([
	[0, "1 second", "sekunde 1"],
	[5, "5 seconds", "sekunde 5"],
	[59, "59 seconds", "sekunde 59"],
	[60, "1 minute", "dakika 1"],
	[90, "2 minutes", "dakika 2"],
	[3_600, "60 minutes", "dakika 60"],
])("%d seconds to wait are %s, in Swahili %s", (seconds, english, swahili) => {
	expect(durationText(seconds, wordTables.en)).toBe(english);
	expect(durationText(seconds, wordTables.sw)).toBe(swahili);
});
