import { textOf } from "../../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../../forms/rules.ts";

const most = 10_000_000;

/** Finds the invalid fields of a grant: a whole number of segments that is not zero, and a reason. */
export function checkGrant(
	entered: FormData,
	words: { segmentsInvalid: string; missingReason: string },
): readonly InputError[] {
	const segments = textOf(entered, "segments");
	const isNumber = /^-?\d{1,8}$/.test(segments) && Number(segments) !== 0;
	return errorsOf([
		[!isNumber || Math.abs(Number(segments)) > most, "segments", words.segmentsInvalid],
		[textOf(entered, "reason") === "", "reason", words.missingReason],
	]);
}
