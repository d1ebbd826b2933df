import { isDevelopment } from "@lango/chassis";
import { expect, test } from "vitest";
import { parts } from "../up.ts";
import { refuseOutsideDevelopment } from "./databases.ts";
import { environmentOf } from "./parts.ts";
import { requireDevelopment } from "./require-development.ts";

const others = ["production", "prod", "Development", "TEST", "staging", " test"];

test("development features are on only if NODE_ENV is development or test", () => {
	expect(["development", "test"].map(isDevelopment)).toEqual([true, true]);
	for (const value of [undefined, "", ...others]) expect(isDevelopment(value), `${value}`).toBe(false);
});

test.each(others)("npm start and beside refuse NODE_ENV=%s and name it", (NODE_ENV) => {
	expect(() => requireDevelopment({ NODE_ENV })).toThrow(`NODE_ENV=${NODE_ENV}`);
});

test.each([undefined, ""])("they set NODE_ENV=development for their services when it is %j", (NODE_ENV) => {
	requireDevelopment({ NODE_ENV });
	expect(environmentOf(parts, { NODE_ENV })).toMatchObject({ NODE_ENV: "development" });
	expect(environmentOf(parts, { NODE_ENV: "test" })).toMatchObject({ NODE_ENV: "test" });
});

test("outside development a command never takes the database of npm start for a missing address", () => {
	for (const NODE_ENV of [undefined, "", ...others])
		expect(() => refuseOutsideDevelopment("AUTH_DATABASE_URL", { NODE_ENV })).toThrow(
			/^AUTH_DATABASE_URL is missing\..*NODE_ENV=development/,
		);
	for (const NODE_ENV of ["development", "test"]) refuseOutsideDevelopment("AUTH_DATABASE_URL", { NODE_ENV });
});
