/**
 * Latin letters and digits, each with the characters that look like it after compatibility decomposition and case folding: Cyrillic, Greek,
 * Armenian, Latin letters outside a to z, and digits. A subset of the table of Unicode Technical Standard #39 ("confusables"),
 * which has thousands of rows for scripts in which no name of a platform is written.
 */
const lookalikes: Readonly<Record<string, string>> = {
	a: "аαɑ",
	b: "ьв6β",
	c: "сϲᴄ",
	d: "ԁɗđ",
	e: "еεҽєɛ",
	f: "ƒſ",
	g: "ɡցğ9",
	h: "һհнη",
	i: "іιıɩlӏ1|!ɫłǀ∣",
	j: "јϳ",
	k: "кκ",
	m: "м",
	n: "пոɴпղ",
	o: "оοօσ0ѳөø",
	p: "рρϱ",
	q: "ԛգ",
	r: "гɼᴦ",
	s: "ѕꜱ5$",
	t: "тτ7",
	u: "υսцʋ",
	v: "νѵ",
	w: "ԝωшɯ",
	x: "хχ×",
	y: "уүγɣ",
	z: "ᴢ2ʐ",
};
const latin: ReadonlyMap<string, string> = new Map(
	Object.entries(lookalikes).flatMap(([letter, others]) => [...others].map((one) => [one, letter] as const)),
);

/**
 * What a name looks like, for comparison only: two names with one skeleton can be mistaken for each other. It ignores case, accents, spaces,
 * punctuation and invisible characters, and reads look-alikes of other scripts as Latin letters.
 */
export function skeletonOf(name: string): string {
	const folded = name.normalize("NFKD").toLowerCase().normalize("NFKD");
	const letters = [...folded].map((one) => latin.get(one) ?? one).join("");
	return letters
		.replaceAll("rn", "m")
		.replaceAll("vv", "w")
		.replaceAll(/[^\p{L}\p{N}]/gu, "");
}
