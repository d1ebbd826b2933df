const segments = new Intl.Segmenter();

/** The first letters of a person's first and last name, as a till shows them; "?" for an empty name. */
export function initialsOf(name: string): string {
	const words = name.trim().split(/\s+/).filter(Boolean);
	const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
	const letters = chosen.map((word = "") => [...segments.segment(word)][0]?.segment ?? "");
	return letters.join("").toLocaleUpperCase("und") || "?";
}
