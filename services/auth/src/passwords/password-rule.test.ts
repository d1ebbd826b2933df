import fc from "fast-check";
import { expect, test } from "vitest";
import { weaknessOf } from "./password-rule.ts";

const email = "asha.mwangi@uhai.example";

test.each([
	["a7!kq2z", "fewer than 8"],
	["", "fewer than 8"],
	[`${"ab".repeat(64)}c`, "more than 128"],
	["Asha.Mwangi@UHAI.example", "e-mail address"],
	["asha.mwangi", "e-mail address"],
	["aaaaaaaaaa", "over and over"],
	["Password123", "commonest"],
	["QWERTYUIOP", "commonest"],
])("%j is weak, and it is said why", (password, reason) => {
	expect(weaknessOf(password, email)).toContain(reason);
});

test.each(["Karibu-2026!", "correct horse battery", "🦁🐘🦒🦓🐆🦏🐃🐊", "ab".repeat(64)])(
	"%j will do",
	(password) => {
		expect(weaknessOf(password, email)).toBeUndefined();
	},
);

test("a long password of many characters is refused only by the list and the address", () => {
	fc.assert(
		fc.property(fc.uuid(), (password) => {
			expect(weaknessOf(password, email)).toBeUndefined();
		}),
	);
});
