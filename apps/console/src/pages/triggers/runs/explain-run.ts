import type { TriggerTexts } from "../state/texts-english.ts";
import type { Note, Run } from "../state/trigger.queries.ts";

/** How a run ended, for people. `collected`: all of its messages are in digests. */
export type Outcome = "waiting" | "sent" | "collected" | "nothing" | "failed";

const skipped: ReadonlySet<string> = new Set([
	...["suppressed", "skipped_preference", "skipped_no_credit", "skipped_no_subscription", "skipped_limit"],
]);

/**
 * Returns how a run ended. A run whose messages were all skipped later, for example by a new suppression,
 * sent nothing, too.
 */
export function outcomeOf({ status, messages, first_messages, notes }: Run): Outcome {
	if (status === "skipped") return "nothing";
	if (status !== "sent") return status;
	const states = first_messages.flatMap(({ statuses }) => statuses);
	const isWhole = first_messages.length === messages && states.length > 0;
	if (isWhole && states.every((state) => skipped.has(state))) return "nothing";
	const collected = notes.filter(({ reason }) => reason === "digested");
	const count = collected.reduce((sum, { recipients = 0 }) => sum + recipients, 0);
	return count > 0 && count === messages ? "collected" : "sent";
}

export const looks = {
	waiting: "plain",
	sent: "done",
	collected: "done",
	nothing: "warning",
	failed: "error",
} as const satisfies Record<Outcome, string>;

type Words = { words: TriggerTexts; channelNames: Readonly<Record<string, string>> };

/** Returns why a run sends no message on a channel, as a sentence. */
export function explainNote(
	{ channel, reason, field, recipients = 1 }: Note,
	{ words, channelNames }: Words,
): string {
	const known = Object.hasOwn(words.notes, reason) ? words.notes[reason] : undefined;
	const variable = field?.replace(/^data\./, "");
	const text = known?.(variable ?? "") ?? words.unknownNote(reason);
	const name = channel === undefined ? "" : `${channelNames[channel]}: `;
	return `${name}${text}${recipients > 1 ? ` ${words.noteRecipients(recipients)}` : ""}`;
}
