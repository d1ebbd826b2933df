import { expect, test } from "vitest";
import { english } from "../../texts/english.ts";
import { findInvalid } from "./entered.ts";

test.each([
	[{ email: "asha@uhai" }, []],
	[{ email: "asha uhai@example" }, [{ field: "email", message: english.invalid.email }]],
	[{ name: "Asha\u202eMwangi" }, [{ field: "name", message: english.invalid.name }]],
	[{ organization_name: "Uhai\u200b" }, [{ field: "organization_name", message: english.invalid.name }]],
	[{ password: "\u200b" }, []],
])("%j: a value that the service would refuse is refused before the request", (entered, explained) => {
	expect(findInvalid(entered, english)).toEqual(explained);
});
