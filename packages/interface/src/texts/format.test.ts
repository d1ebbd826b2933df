import { afterEach, expect, test, vi } from "vitest";
import { formatDay, formatMoney, formatNumber, formatTime, nameZone } from "./format.ts";

afterEach(() => {
	vi.useRealTimers();
});

const plain = (text: string) => text.replaceAll(/\s/g, " ");

test.each([
	["en", "Africa/Nairobi", "21 Nov 2026, 02:05"],
	["en", "UTC", "20 Nov 2026, 23:05"],
	["sw", "Africa/Nairobi", "21 Nov 2026, 02:05"],
] as const)("in %s at %s an instant is %s", (language, timeZone, text) => {
	expect(plain(formatTime("2026-11-20T23:05:00Z", { language, timeZone }))).toBe(text);
});

test("a day is that of the zone", () => {
	const day = formatDay("2026-11-20T23:05:00Z", { language: "en", timeZone: "Africa/Nairobi" });
	expect(plain(day)).toBe("21 Nov 2026");
});

test("a date is not split at the end of a line; its time can be on the next line", () => {
	const at = formatTime("2026-11-20T23:05:00Z", { language: "en", timeZone: "UTC" });
	expect(at.split(" ")).toEqual(["20\u00a0Nov\u00a02026,", "23:05"]);
});

test.each([
	[250_000, "KES", "Ksh 2,500.00"],
	[250_000, "UGX", "UGX 250,000"],
	[1_999, "USD", "US$19.99"],
])("%d lowest units of %s are %s", (minor, currency, text) => {
	expect(plain(formatMoney(minor, { currency, language: "en" }))).toBe(text);
});

test("a number has its separators and a zone its name", () => {
	expect(formatNumber(12_000, "en")).toBe("12,000");
	expect(nameZone({ language: "en", timeZone: "Africa/Nairobi" })).toBe("East Africa Time");
});

test.each([
	["Africa/Monrovia", "2026-01-15", "Greenwich Mean Time"],
	["Europe/London", "2026-01-15", "Greenwich Mean Time"],
	["Europe/London", "2026-07-15", "British Summer Time"],
	["Africa/Kampala", "2026-01-15", "East Africa Time"],
])("%s is called on %s what it is then, whatever it was in other years: %s", (timeZone, day, name) => {
	vi.useFakeTimers({ now: new Date(`${day}T12:00:00Z`), toFake: ["Date"] });
	expect(nameZone({ language: "en", timeZone })).toBe(name);
});
