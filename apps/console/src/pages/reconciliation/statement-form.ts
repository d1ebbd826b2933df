import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";

const bytesMax = 8 * 1_024 * 1_024;

/** The selected statement, or undefined. */
export function readStatement(entered: FormData): File | undefined {
	const file = entered.get("file");
	// Without a selection, a browser sends an empty file without a name.
	return file instanceof File && file.name !== "" ? file : undefined;
}

/** Where a statement is from: the bank account, or a shortcode. */
export const sourceOf = (entered: FormData): string =>
	textOf(entered, "source") === "bank" ? "bank" : textOf(entered, "shortcode");

type Words = { shortcodeInvalid: string; fileMissing: string; fileTooLarge: string };

/** Finds the fields that the treasury would refuse. */
export function checkStatement(entered: FormData, words: Words): readonly InputError[] {
	const file = readStatement(entered);
	return errorsOf([
		[!/^(bank|\d{5,10})$/.test(sourceOf(entered)), "shortcode", words.shortcodeInvalid],
		[file === undefined, "file", words.fileMissing],
		[(file?.size ?? 0) > bytesMax, "file", words.fileTooLarge],
	]);
}
