import { expect, test } from "vitest";
import { preferredLanguage } from "./language.ts";

test.each([
	["sw-KE", "sw"],
	["sw-KE,en;q=0.5", "sw"],
	["fr, sw;q=0.2, EN;q=0.9", "en"],
	["sw;q=0, fr", undefined],
	["en;q=much", undefined],
	[undefined, undefined],
])("%s prefers %s", (header, language) => {
	expect(preferredLanguage(header)).toBe(language);
});
