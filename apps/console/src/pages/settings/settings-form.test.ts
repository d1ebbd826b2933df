import type { TenantSettings } from "@lango/contracts";
import { expect, test } from "vitest";
import { changeOf, checkSettings, readSettings } from "./settings-form.ts";

const before: TenantSettings = {
	id: "0b1e2c7a-0000-4000-8000-0000000000aa",
	slug: "uhai",
	status: "active",
	name: "Uhai Hospital",
	branding: { colour: "#0a7f3f", logo_url: null },
	time_zone: "Africa/Nairobi",
	currency: "KES",
	locale: "en-KE",
	join_policy: "approval",
	outlet_isolation: "strict",
};
const lacking = { name: "no name", colour: "no colour" };

function entered(change: Record<string, string>) {
	const form = new FormData();
	const { name, branding, time_zone, currency, locale, join_policy, outlet_isolation } = before;
	const shown = {
		name,
		colour: branding.colour ?? "",
		time_zone,
		currency,
		locale,
		join_policy,
		outlet_isolation,
	};
	for (const [field, value] of Object.entries({ ...shown, ...change })) form.set(field, value);
	return readSettings(form);
}

test("a form that is sent as it was changes nothing", () => {
	expect(changeOf(before, entered({ name: " Uhai Hospital " }))).toBeUndefined();
});

test("only what was changed is sent, of the branding, too", () => {
	expect(changeOf(before, entered({ join_policy: "open", outlet_isolation: "open", colour: "" }))).toEqual({
		join_policy: "open",
		outlet_isolation: "open",
		branding: { colour: null },
	});
});

test.each([
	[{ name: "  " }, { field: "name", message: "no name" }],
	[{ colour: "green" }, { field: "colour", message: "no colour" }],
	[{ colour: "#0A7F3F" }, undefined],
])("%j is answered by %j", (change, said) => {
	expect(checkSettings(entered(change), lacking)).toEqual(said);
});
