import type { InputError } from "../../forms/input-errors.ts";

const daysMax = 366;

/** Validates an extension: 1 to 366 whole days, and a reason for the audit log. */
export function checkGrant(
	days: string,
	because: string,
	words: { days: string; because: string },
): InputError | undefined {
	const isWhole = /^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= daysMax;
	if (!isWhole) return { field: "days", message: words.days };
	return because === "" ? { field: "because", message: words.because } : undefined;
}
