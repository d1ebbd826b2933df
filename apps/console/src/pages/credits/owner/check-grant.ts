import { textOf } from "../../../forms/form-data.ts";
import type { InputError } from "../../../forms/input-errors.ts";

const most = 10_000_000;

/** Finds the first invalid field of a grant: a whole number of segments that is not zero, and a reason. */
export function checkGrant(
	entered: FormData,
	words: { segmentsInvalid: string; missingReason: string },
): InputError | undefined {
	const segments = textOf(entered, "segments");
	const isNumber = /^-?\d{1,8}$/.test(segments) && Number(segments) !== 0;
	if (!isNumber || Math.abs(Number(segments)) > most)
		return { message: words.segmentsInvalid, field: "segments" };
	return textOf(entered, "reason") === "" ? { message: words.missingReason, field: "reason" } : undefined;
}
