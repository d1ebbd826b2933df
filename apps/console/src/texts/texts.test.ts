import { expect, test } from "vitest";
import { wordFor } from "./texts.ts";

test.each([
	["multi_outlet", "Several outlets"],
	["cold_chain", "Cold chain"],
	["DELTA", "DELTA"],
	["role.assigned", "role.assigned"],
	["4f2a1c3e-0b7d-4a55-9c1e-7d0f6b2a9e11", "4f2a1c3e-0b7d-4a55-9c1e-7d0f6b2a9e11"],
	["constructor", "constructor"],
])("the code %s is named %s", (code, said) => {
	expect(wordFor({ multi_outlet: "Several outlets" }, code)).toBe(said);
});
