/** The text of a field without the spaces around it. */
export function textOf(entered: FormData, name: string): string {
	const value = entered.get(name);
	return typeof value === "string" ? value.trim() : "";
}

/** Every checked or entered value of a name. */
export function textsOf(entered: FormData, name: string): string[] {
	return entered.getAll(name).filter((value) => typeof value === "string");
}

/** The lines of a field that say something. */
export function linesOf(entered: FormData, name: string): string[] {
	const lines = textOf(entered, name).split(/\r?\n/);
	return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))];
}
