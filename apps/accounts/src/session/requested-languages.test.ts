import { expect, test } from "vitest";
import { requestedLanguages } from "./requested-languages.ts";

const searchOf = (returnTo: string) => `?${new URLSearchParams({ return_to: returnTo, tenant: "uhai" })}`;
const authorize = "https://id.example/api/v1/authorize?client_id=cafe-website&state=00ff";

test.each([
	[`${authorize}&ui_locales=fr-CA%20fr%20sw`, ["fr-CA", "fr", "sw"]],
	[`${authorize}&ui_locales=sw++en`, ["sw", "en"]],
	[`${authorize}&ui_locales=`, []],
	[authorize, []],
])("the request %s has the languages %j", (returnTo, languages) => {
	expect(requestedLanguages(searchOf(returnTo))).toEqual(languages);
});

test.each(["", "?tenant=uhai", searchOf(""), searchOf("/profile?ui_locales=sw"), searchOf("https://[")])(
	"the search %j has no authorization request",
	(search) => {
		expect(requestedLanguages(search)).toBeUndefined();
	},
);
