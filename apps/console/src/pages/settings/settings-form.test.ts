import type { TenantSettings } from "@lango/contracts";
import { expect, test } from "vitest";
import { changeOf, checkSettings, type Draft, draftOf, readSettings, rebaseDraft } from "./settings-form.ts";

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
const inputErrors = { name: "no name", colour: "no colour" };

const entered = (change: Partial<Draft>) => readSettings({ ...draftOf(before), ...change });

test("an unchanged form changes nothing", () => {
	expect(changeOf(before, entered({ name: " Uhai Hospital " }))).toBeUndefined();
});

test("only changed settings are sent, also of the branding", () => {
	expect(changeOf(before, entered({ join_policy: "open", outlet_isolation: "open", colour: "" }))).toEqual({
		join_policy: "open",
		outlet_isolation: "open",
		branding: { colour: null },
	});
});

test.each([
	[{ name: "  " }, [{ field: "name", message: "no name" }]],
	[
		{ name: "", colour: "green" },
		[
			{ field: "name", message: "no name" },
			{ field: "colour", message: "no colour" },
		],
	],
	[{ colour: "#0A7F3F" }, []],
])("the errors for %j are %j", (change, said) => {
	expect(checkSettings(entered(change), inputErrors)).toEqual(said);
});

test("input typed during a save stays, and other fields show changes of another administrator", () => {
	const sent = { ...draftOf(before), colour: "#112233" };
	const draft = { ...sent, name: "Uhai Hospi" };
	const branding = { ...before.branding, colour: "#112233" };
	const saved: TenantSettings = { ...before, name: "Uhai Clinic", currency: "UGX", branding };
	const after = rebaseDraft(draft, sent, saved);
	expect(after).toEqual({ ...draftOf(saved), name: "Uhai Hospi" });
	expect(changeOf(saved, readSettings(after))).toEqual({ name: "Uhai Hospi" });
});

test("without new input, the fields show the saved settings", () => {
	const sent = { ...draftOf(before), name: " Uhai Clinic " };
	const saved = { ...before, name: "Uhai Clinic" };
	expect(rebaseDraft(sent, sent, saved)).toEqual(draftOf(saved));
});
