import { textOf } from "../../forms/form-data.ts";

/** The secrets that were entered; an empty field keeps the stored one. */
export const readSecrets = (entered: FormData, names: readonly string[]): Record<string, string> =>
	Object.fromEntries(names.map((name) => [name, textOf(entered, name)]).filter(([, value]) => value !== ""));
