import { expect, test } from "vitest";
import { checkClient } from "./check-client.ts";
import { tables } from "./texts.ts";

const { inputErrors } = tables.en;
const complete = {
	client_id: "reports-web",
	name: "Reports",
	redirect_uris: ["https://reports.example/auth/callback"],
	post_logout_redirect_uris: [],
	scopes: ["openid"],
	pkce_required: true,
	id_token_algorithm: "RS256",
	id_token_at_refresh: true,
	first_party: false,
} as const;
const check = (more: object, isPublic = true) =>
	checkClient(
		{
			...complete,
			redirect_uris: [...complete.redirect_uris],
			post_logout_redirect_uris: [],
			scopes: ["openid"],
			...more,
		},
		{ isPublic, inputErrors },
	);

test.each([
	["an identifier with a space", { client_id: "my app" }, "client_id"],
	["an identifier of one letter", { client_id: "a" }, "client_id"],
	["no name", { name: "" }, "name"],
	["no redirect address without a secret", { redirect_uris: [] }, "redirect_uris"],
	["a redirect address without a scheme", { redirect_uris: ["reports.example"] }, "redirect_uris"],
	["no scope", { scopes: [] }, "scopes"],
])("%s is refused before the request", (_what, more, field) => {
	expect(check(more).map((error) => error.field)).toEqual([field]);
});

test("a complete application is accepted, also a program with a secret and without a sign-in", () => {
	expect(check({})).toEqual([]);
	expect(check({ redirect_uris: [] }, false)).toEqual([]);
	expect(check({ client_id: undefined })).toEqual([]);
});
