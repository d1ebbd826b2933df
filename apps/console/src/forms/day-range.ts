import { endOfDay, startOfDay } from "../tenant/day-in-zone.ts";
import { textOf } from "./form-data.ts";
import type { InputError } from "./input-errors.ts";

/** Finds a missing day, or days in the wrong order, in the fields `from` and `to`. */
export function checkDays(
	entered: FormData,
	words: { dayMissing: string; reversed: string },
): InputError | undefined {
	const [from, to] = [textOf(entered, "from"), textOf(entered, "to")];
	if (from === "") return { message: words.dayMissing, field: "from" };
	if (to === "") return { message: words.dayMissing, field: "to" };
	return from > to ? { message: words.reversed, field: "from" } : undefined;
}

/** The time of the fields `from` and `to`: both days are whole days of the time zone. */
export function readDays(entered: FormData, timeZone: string): { from: string; to: string } {
	const from = startOfDay(textOf(entered, "from"), timeZone);
	const to = endOfDay(textOf(entered, "to"), timeZone);
	if (from === undefined || to === undefined) throw new Error("a day is missing");
	return { from: from.toISOString(), to: to.toISOString() };
}
