import { expect, test } from "vitest";
import { safeLink } from "./safe-link.ts";

test.each([
	["https://uhai.example/a?b=1", "https://uhai.example/a?b=1"],
	["http://localhost:3001/uhai", "http://localhost:3001/uhai"],
	["javascript:alert(1)", undefined],
	["data:text/html,x", undefined],
	["/uhai", undefined],
	["", undefined],
	[null, undefined],
])("of the link %j a page may open %j", (link, opened) => {
	expect(safeLink(link)).toBe(opened);
});
