import { expect, test } from "vitest";
import { english } from "../../texts/english.ts";
import { findInvalid } from "./entered.ts";

test.each([
	[{ email: "asha@uhai" }, []],
	[{ email: "asha uhai@example" }, [{ field: "email", message: english.invalid.email }]],
	[{ name: "Asha\u202eMwangi" }, [{ field: "name", message: english.invalid.name }]],
	[{ organization_name: "Uhai\u200b" }, [{ field: "organization_name", message: english.invalid.name }]],
	[{ slug: "a b" }, [{ field: "slug", message: english.invalid.slug }]],
	[{ tenant_slug: "A" }, [{ field: "tenant_slug", message: english.invalid.tenant_slug }]],
	[{ slug: "soko-2", tenant_slug: "a".repeat(63) }, []],
	[{ password: "\u200b" }, []],
])("%j: a value that the service would refuse is refused before the request", (entered, explained) => {
	expect(findInvalid(entered, english)).toEqual(explained);
});

test.each([
	["abc", false],
	["1234567", false],
	["12345678", true],
	["é".normalize("NFD").repeat(7), false],
	["🌍".repeat(128), true],
	["x".repeat(129), false],
])("a new password has 8 to 128 characters, as the service counts them: %j", (password, isAccepted) => {
	const refused = [{ field: "new_password", message: english.refusal.password_weak }];
	expect(findInvalid({ new_password: password }, english, "new_password")).toEqual(isAccepted ? [] : refused);
});
