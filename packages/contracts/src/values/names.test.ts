import Type from "typebox";
import Value from "typebox/value";
import { expect, test } from "vitest";
import { skeletonOf } from "../skeleton.ts";
import { Email, Name } from "./name.ts";
import { isEmail, isName } from "./text.ts";

const local = "l".repeat(64);
test.each([
	["a@b", true],
	["asha.mwangi+kahawa@uhai.example", true],
	["o'neil!#$%&*/=?^_`{|}~-@x-1.example", true],
	[`${local}@x.example`, true],
	[`${local}l@x.example`, false],
	[`a@${`${"d".repeat(61)}.`.repeat(4)}${"e".repeat(4)}`, true],
	[`a@${`${"d".repeat(61)}.`.repeat(4)}${"e".repeat(5)}`, false],
	[`a@${"d".repeat(64)}.example`, false],
	["a@-x.example", false],
	["a@x-.example", false],
	["a@x..example", false],
	["a@x.example.", false],
	["@x.example", false],
	["a b@x.example", false],
	["a@@x.example", false],
	["jürgen@x.example", false],
	["a@mаil.example", false],
	["a@x.example\n", false],
	["a\u200b@x.example", false],
	["Asha <a@x.example>", false],
])("%j as an e-mail address: %s", (text, isValid) => {
	expect([isEmail(text), Value.Check(Email, text)]).toEqual([isValid, isValid]);
});

test.each([
	["Wanjirũ Njoroge-Otieno", true],
	["محمد علي", true],
	["山田 太郎", true],
	["O’Neil & Sons (Ltd.) 🦁", true],
	["", false],
	["  ", false],
	["Asha\nMwangi", false],
	["Asha\tMwangi", false],
	["Asha\u0000", false],
	["Asha\u200bMwangi", false],
	["Asha\u200dMwangi", false],
	["\ufeffAsha", false],
	["Asha\u00ad", false],
	["Asha \u202egnp.exe", false],
	["Asha \u2066x\u2069", false],
	["Asha\u2028Mwangi", false],
	["\u3164", false],
	["\u2800", false],
	["Asha\ufe0f", false],
	["n".repeat(200), true],
	["n".repeat(201), false],
])("%j as a name: %s", (text, isValid) => {
	const Body = Type.Object({ name: Name(200) });
	expect([isName(text, 200), Value.Check(Body, { name: text })]).toEqual([isValid, isValid]);
});

test.each([
	"LANGO",
	"l a n g o",
	"Lаngо", // Cyrillic а and о
	"Lαngο", // Greek
	"Ⅼango",
	"Lángö",
	"Ｌａｎｇｏ",
	"𝓛𝓪𝓷𝓰𝓸",
	"1ang0",
	"Iango",
	"lan-go",
	"L.a.n.g.o.",
	"lаnɡo",
	"ʟᴀɴɢᴏ",
	"ꓡꓮꓠꓖꓳ", // Lisu
	"ᏞᎪNᏀO", // Cherokee
	"🅛🅐🅝🅖🅞",
	"🅻🅰🅽🅶🅾",
	"🇱🇦🇳🇬🇴",
	"Ꞁango", // a turned L
	"ŁÅŊǤØ",
	"L4NG0",
	"l@ngo",
])("%s looks like Lango", (name) => {
	expect(skeletonOf(name)).toBe(skeletonOf("Lango"));
});

test.each(["Langoni", "Mango", "Lang", "Uhai Hospital", "ランゴ"])("%s does not look like Lango", (name) => {
	expect(skeletonOf(name)).not.toBe(skeletonOf("Lango"));
});
