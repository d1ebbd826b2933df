import { expect, test } from "vitest";
import { preferredLanguage, textsIn } from "./texts.ts";

test.each([
	[["en-KE", "sw"], "en"],
	[["sw-KE", "en-GB"], "en"],
	[["fr"], "en"],
	[[], "en"],
])("who prefers %j is spoken to in %s", (wanted, language) => {
	expect(preferredLanguage(wanted)).toBe(language);
});

test("a language without words falls back to English", () => {
	expect(textsIn("xx")).toBe(textsIn("en"));
});
