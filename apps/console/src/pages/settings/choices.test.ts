import { expect, test } from "vitest";
import { listCurrencies, listLocales, listZones } from "./choices.ts";

test("zones are shown as they are read and kept as they are named", () => {
	const zones = listZones("Africa/Nairobi");
	expect(zones).toContainEqual({ value: "America/New_York", label: "America/New York" });
	expect(zones.filter(({ value }) => value === "Africa/Nairobi")).toHaveLength(1);
});

test("what a tenant has is offered though nobody else has it", () => {
	expect(listZones("Asia/Kolkata").map(({ value }) => value)).toContain("Asia/Kolkata");
	expect(listLocales("de-TZ", "en")).toContainEqual({ value: "de-TZ", label: "German (Tanzania)" });
});

test("currencies have their names in the language of the page", () => {
	expect(listCurrencies("KES", "en")).toContainEqual({ value: "KES", label: "KES – Kenyan Shilling" });
	expect(listCurrencies("KES", "sw")).toContainEqual({ value: "KES", label: "KES – Shilingi ya Kenya" });
});
