/**
 * Latin letters, each with the characters that look like it after compatibility decomposition and case
 * folding: small capitals, letters with strokes and hooks, digits and signs used as letters, Cyrillic, Greek,
 * Armenian, Coptic, Lisu and Cherokee. A subset of the confusables of Unicode Technical Standard #39, which
 * also covers scripts that platform names do not use.
 */
const lookalikes: Readonly<Record<string, string>> = {
	a: "аαɑᴀⱥⲁꓮꭺ4@",
	b: "ьв6β8ʙɓꓐᏼ",
	c: "сϲᴄƈⲥꓚꮯ",
	d: "ԁɗđᴅꓓꭰ",
	e: "еεҽєɛᴇəⲉꓰꭼ3€",
	f: "ƒſꜰꓝ",
	g: "ɡցğ9ɢǥɠꓖꮐ",
	h: "һհнηʜħɦⲏꓧꮋ",
	i: "іιıɩlӏ1|!ɫłǀ∣ɪʟɭɬƚⱡꞁⲓꓲꓡꭵꮮ",
	j: "јϳᴊꓙꭻ",
	k: "кκᴋƙⲕꓗꮶ",
	m: "мᴍⲙꓟꮇ",
	n: "пոɴпղŋƞɲɳⲛꓠ",
	o: "οօσ0ѳөøоᴏɵⲟꓳꮎ",
	p: "рρϱᴘƥⲣꓑꮲ",
	q: "ԛգꞯ",
	r: "гɼᴦʀꓣꮢ",
	s: "ѕꜱ5$ʂꓢꮪ",
	t: "тτ7ᴛŧƭⲧꓔꭲ",
	u: "υսцʋᴜꓴ",
	v: "νѵᴠꓦꮩ",
	w: "ԝωшɯᴡꓪꮃ",
	x: "хχ×ⲭꓫ",
	y: "уүγɣʏƴⲩꓬ",
	z: "ᴢ2ʐƶꓜꮓ",
};
const alphabet = "abcdefghijklmnopqrstuvwxyz";
/**
 * The first of 26 characters each: circled letters, squared letters, and regional indicators. They have no
 * decomposition.
 */
const enclosedFrom = [0x1f150, 0x1f170, 0x1f1e6];
const enclosed = enclosedFrom.flatMap((first) =>
	[...alphabet].map((letter, at) => [String.fromCodePoint(first + at), letter] as const),
);
const written = Object.entries(lookalikes).flatMap(([letter, others]) =>
	[...others].map((one) => [one, letter] as const),
);
const latin: ReadonlyMap<string, string> = new Map([
	...written,
	// "l" is mapped to "i" in every form.
	...enclosed.map(([one, letter]) => [one, letter === "l" ? "i" : letter] as const),
]);

/**
 * Returns the skeleton of a name, for comparison only: two names with the same skeleton can be confused. It
 * ignores case, accents, spaces, punctuation and invisible characters, and maps look-alikes of other scripts
 * to Latin letters.
 */
export function skeletonOf(name: string): string {
	const folded = name.normalize("NFKD").toLowerCase().normalize("NFKD");
	const letters = [...folded].map((one) => latin.get(one) ?? one).join("");
	return letters
		.replaceAll("rn", "m")
		.replaceAll("vv", "w")
		.replaceAll(/[^\p{L}\p{N}]/gu, "");
}
