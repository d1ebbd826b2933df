import { expect, test } from "vitest";
import { toTheme } from "../page/theme.ts";
import { preferredLanguage } from "./language.ts";
import { wordTables } from "./words.ts";

test.each([
	[["en-KE", "sw"], "en"],
	[["sw-KE", "en-GB"], "sw"],
	[["fr", "SW"], "sw"],
	[[null, "sw"], "sw"],
	[["fr"], "en"],
	[[], "en"],
] as const)("who prefers %j is spoken to in %s", (wanted, language) => {
	expect(preferredLanguage(wanted)).toBe(language);
});

test("a person who prefers no supported language gets the deployment's", () => {
	expect(preferredLanguage(["fr"], "sw")).toBe("sw");
});

test.each([
	["dark", "dark"],
	["purple", "auto"],
	[null, "auto"],
])("the theme %j is %s", (text, theme) => {
	expect(toTheme(text)).toBe(theme);
});

test("each language offers the other one by its own name", () => {
	expect(wordTables.en.otherLanguage).toEqual({ name: "Kiswahili", tag: "sw" });
	expect(wordTables.sw.otherLanguage).toEqual({ name: "English", tag: "en" });
});
