const codeForm = /^[A-Z0-9][A-Z0-9_-]{0,31}$/;
const suggestedMax = 12;

/** Whether a text can be an outlet's code, as the sign-on service takes them. */
export function isOutletCode(text: string): boolean {
	return codeForm.test(text);
}

/** A code that follows from a name: its words in capitals, without accents, joined by "-"; "" when nothing is left. */
export function suggestCode(name: string): string {
	const plain = name
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toUpperCase()
		.replace(/[^A-Z0-9]+/g, "-");
	return plain.replace(/^-+/, "").slice(0, suggestedMax).replace(/-+$/, "");
}
