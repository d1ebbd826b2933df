import fc from "fast-check";
import { expect, test } from "vitest";
import { mintAccountCode, readAccountCode } from "./account-code.ts";

const characters = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
const code = fc.constant(undefined).map(mintAccountCode);
const replaceAt = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + 1);

test("an account code is read as it was minted, also in lower case and with spaces, O for 0 and l for 1", () => {
	fc.assert(
		fc.property(code, (minted) => {
			const typed = `${minted.slice(0, 4)} ${minted.slice(4, 8)}-${minted.slice(8)}`.toLowerCase();
			expect(readAccountCode(typed)).toBe(minted);
			const body = minted.slice(0, 9).replaceAll("0", "O").replaceAll("1", "l");
			expect(readAccountCode(body + minted.slice(9))).toBe(minted);
		}),
	);
});

test("a code with one wrong character is refused", () => {
	fc.assert(
		fc.property(code, fc.nat({ max: 8 }), fc.constantFrom(...characters), (minted, at, other) => {
			fc.pre(minted[at] !== other);
			expect(readAccountCode(replaceAt(minted, at, other))).toBeUndefined();
		}),
	);
});

test.each(["", "ABC", "rent for may", "254712345678", "UUUUUUUUU1"])("%s is not an account code", (typed) => {
	expect(readAccountCode(typed)).toBeUndefined();
});
