import { textOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/submit-form.tsx";
import { endOfDay, startOfDay } from "../../tenant/day-in-zone.ts";

/** Finds a missing day, or days in the wrong order. */
export function checkReplay(
	entered: FormData,
	words: { dayMissing: string; reversed: string },
): InputError | undefined {
	const [from, to] = [textOf(entered, "from"), textOf(entered, "to")];
	if (from === "") return { message: words.dayMissing, field: "from" };
	if (to === "") return { message: words.dayMissing, field: "to" };
	return from > to ? { message: words.reversed, field: "from" } : undefined;
}

/** The request of a form: both days are whole days of the time zone. */
export function readReplay(entered: FormData, timeZone: string) {
	const from = startOfDay(textOf(entered, "from"), timeZone);
	const to = endOfDay(textOf(entered, "to"), timeZone);
	if (from === undefined || to === undefined) throw new Error("a day is missing");
	return { from: from.toISOString(), to: to.toISOString(), status: textOf(entered, "status") };
}
