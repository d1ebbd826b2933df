import { expect, test } from "vitest";
import { listCurrencies, listLocales, listZones } from "./choices.ts";

test("time zones are shown with spaces and saved by IANA name", () => {
	const zones = listZones("Africa/Nairobi");
	expect(zones).toContainEqual({ value: "America/New_York", label: "America/New York" });
	expect(zones.filter(({ value }) => value === "Africa/Nairobi")).toHaveLength(1);
});

test("the current value of a tenant is offered even if it is uncommon", () => {
	expect(listZones("Asia/Kolkata").map(({ value }) => value)).toContain("Asia/Kolkata");
	expect(listLocales("de-TZ", "en")).toContainEqual({ value: "de-TZ", label: "German (Tanzania)" });
});

test("currencies are named in the language of the page", () => {
	expect(listCurrencies("KES", "en")).toContainEqual({ value: "KES", label: "KES – Kenyan Shilling" });
	expect(listCurrencies("KES", "sw")).toContainEqual({ value: "KES", label: "KES – Shilingi ya Kenya" });
});
