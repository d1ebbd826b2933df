import { textOf, textsOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { type Channel, channels } from "../templates/draft/templates.queries.ts";
import type { CategoryChoices, Choices, Settings } from "./preference.queries.ts";

/** The name of the checkboxes of a category. */
export const fieldOf = (category: string) => `categories.${category}`;

/**
 * The choices of `chooser`: those made before, and those that differ from what is in force. Everything else
 * follows the defaults, also when these change.
 */
export function readChoices(
	entered: FormData,
	now: readonly CategoryChoices[],
	chooser: "person" | "tenant" | "platform",
): Choices {
	const read = now
		.filter(({ is_critical }) => !is_critical)
		.map(({ category, channels: inForce }) => {
			const on = textsOf(entered, fieldOf(category));
			const chosen = channels.flatMap((channel): Array<[Channel, boolean]> => {
				const { is_on, chosen_by } = inForce[channel];
				const isOn = on.includes(channel);
				return chosen_by === chooser || isOn !== is_on ? [[channel, isOn]] : [];
			});
			return [category, Object.fromEntries(chosen)] as const;
		});
	return Object.fromEntries(read.filter(([, chosen]) => Object.keys(chosen).length > 0));
}

/** Language, time zone and quiet hours. An empty field is the default of the organisation. */
export function readSettings(entered: FormData): Settings {
	const [from, until] = [textOf(entered, "quiet_hours.from"), textOf(entered, "quiet_hours.until")];
	return {
		locale: textOf(entered, "locale") || null,
		time_zone: textOf(entered, "time_zone") || null,
		quiet_hours: from === "" ? null : { from, until },
	};
}

/** Finds quiet hours without a beginning, an end or a length. */
export function checkSettings(
	entered: FormData,
	words: { half: string; empty: string },
): readonly InputError[] {
	const [from, until] = [textOf(entered, "quiet_hours.from"), textOf(entered, "quiet_hours.until")];
	return errorsOf([
		[from === "" && until !== "", "quiet_hours.from", words.half],
		[from !== "" && until === "", "quiet_hours.until", words.half],
		[from !== "" && from === until, "quiet_hours.until", words.empty],
	]);
}
