import { endOfDay, startOfDay } from "../tenant/day-in-zone.ts";
import { textOf } from "./form-data.ts";
import { errorsOf, type InputError } from "./rules.ts";

/** Finds missing days, and days in the wrong order, in the fields `from` and `to`. */
export function checkDays(
	entered: FormData,
	words: { dayMissing: string; reversed: string },
): readonly InputError[] {
	const [from, to] = [textOf(entered, "from"), textOf(entered, "to")];
	return errorsOf([
		[from === "", "from", words.dayMissing],
		[to === "", "to", words.dayMissing],
		[to !== "" && from > to, "from", words.reversed],
	]);
}

/** The time of the fields `from` and `to`: both days are whole days of the time zone. */
export function readDays(entered: FormData, timeZone: string): { from: string; to: string } {
	const from = startOfDay(textOf(entered, "from"), timeZone);
	const to = endOfDay(textOf(entered, "to"), timeZone);
	if (from === undefined || to === undefined) throw new Error("a day is missing");
	return { from: from.toISOString(), to: to.toISOString() };
}

/** When the last day of such a time is: `to` is the start of the next day. */
export const withinLastDay = ({ from, to }: { from: string; to: string }): Date =>
	new Date(Math.max(Date.parse(from), Date.parse(to) - 1));
