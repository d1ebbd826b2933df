import { errorsOf, type InputError } from "../../forms/rules.ts";

const daysMax = 366;

/** Validates an extension: 1 to 366 whole days, and a reason for the audit log. */
export function checkGrant(
	days: string,
	because: string,
	words: { days: string; because: string },
): readonly InputError[] {
	const isWhole = /^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= daysMax;
	return errorsOf([
		[!isWhole, "days", words.days],
		[because === "", "because", words.because],
	]);
}
