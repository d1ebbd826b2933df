/** The trimmed text of a field; "" if it has none. */
export function textOf(entered: FormData, name: string): string {
	const value = entered.get(name);
	return typeof value === "string" ? value.trim() : "";
}

/** All values of a field, for example of checkboxes. */
export function textsOf(entered: FormData, name: string): string[] {
	return entered.getAll(name).filter((value) => typeof value === "string");
}

/** The distinct, trimmed lines of a field, without empty ones. */
export function linesOf(entered: FormData, name: string): string[] {
	const lines = textOf(entered, name).split(/\r?\n/);
	return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))];
}
