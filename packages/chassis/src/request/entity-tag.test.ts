import { expect, test } from "vitest";
import { namesEntityTag } from "./entity-tag.ts";

test.each([
	['"1-a"', true],
	['W/"1-a"', true],
	['"0-b", "1-a"', true],
	["*", true],
	['"1-b"', false],
	["1-a", false],
	["", false],
	[undefined, false],
])('If-None-Match %s contains "1-a": %s', (header, expected) => {
	expect(namesEntityTag(header, '"1-a"')).toBe(expected);
});
