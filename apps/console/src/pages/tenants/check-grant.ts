import type { InputError } from "../../forms/submit-form.tsx";

const daysMax = 366;

/** What is wrong with time to be given: whole days from 1 to 366, and a reason for the record. */
export function checkGrant(
	days: string,
	because: string,
	words: { days: string; because: string },
): InputError | undefined {
	const isWhole = /^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= daysMax;
	if (!isWhole) return { field: "days", message: words.days };
	return because === "" ? { field: "because", message: words.because } : undefined;
}
