const codeForm = /^[A-Z0-9][A-Z0-9_-]{0,31}$/;
const suggestedMax = 12;

/** Whether the sign-on service accepts the text as an outlet code. */
export function isOutletCode(text: string): boolean {
	return codeForm.test(text);
}

/**
 * Derives a code from a name: its words in capitals, without accents, joined by "-"; "" if nothing remains.
 */
export function suggestCode(name: string): string {
	const plain = name
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toUpperCase()
		.replace(/[^A-Z0-9]+/g, "-");
	return plain.replace(/^-+/, "").slice(0, suggestedMax).replace(/-+$/, "");
}
