const lineLengthMax = 200;

/** Characters that are not text: controls but tab and line feed, and marks that reverse what follows. */
const invisible =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here.
	/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Removes control characters and directional overrides. Line breaks become line feeds. */
export const cleanText = (text: string): string =>
	text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(invisible, "");

/** Makes one line of a text: for subjects, titles and names, at most 200 characters. */
export function cleanLine(text: string): string {
	const line = cleanText(text.replaceAll(/[\r\n\t\u0085\u2028\u2029]+/g, " "))
		.replaceAll(/ {2,}/g, " ")
		.trim();
	const characters = [...line.slice(0, 2 * lineLengthMax + 2)];
	return characters.length > lineLengthMax ? `${characters.slice(0, lineLengthMax - 1).join("")}…` : line;
}
