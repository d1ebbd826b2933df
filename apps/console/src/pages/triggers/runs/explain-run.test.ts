import { expect, test } from "vitest";
import { english } from "../state/texts-english.ts";
import type { Run } from "../state/trigger.queries.ts";
import { explainNote, outcomeOf } from "./explain-run.ts";

const message = (...statuses: string[]) => ({ id: "m", channel: "email" as const, statuses });
const run = (more: Partial<Run>): Run => ({
	...{ id: "r", event_id: "e", event: "custom.a", status: "sent", messages: 1, replayable: false, notes: [] },
	...{ first_messages: [message("sent")], due_at: "", created_at: "", finished_at: null },
	...more,
});
const digested = { channel: "email" as const, reason: "digested", recipients: 1 };

test.each<[string, Partial<Run>, string]>([
	["a run with a message on its way", {}, "sent"],
	["a run that was skipped", { status: "skipped" }, "nothing"],
	["a run whose message was suppressed later", { first_messages: [message("suppressed")] }, "nothing"],
	[
		"a run with one message of two that was skipped",
		{ messages: 2, first_messages: [message("skipped_limit")] },
		"sent",
	],
	["a run whose messages belong to the platform", { first_messages: [] }, "sent"],
	[
		"a run whose messages are collected",
		{ first_messages: [message("digested")], notes: [digested] },
		"collected",
	],
	["a run with one message collected and one sent", { messages: 2, notes: [digested] }, "sent"],
	["a run that failed", { status: "failed" }, "failed"],
])("%s has its own result", (_name, more, outcome) => {
	expect(outcomeOf(run(more))).toBe(outcome);
});

test("a reason names channel, variable and recipients, and an unknown one its code", () => {
	const words = { words: english, channelNames: { email: "E-mail" } };
	const say = (note: Parameters<typeof explainNote>[0]) => explainNote(note, words);
	expect(say({ channel: "email", reason: "variable_missing", field: "data.title", recipients: 3 })).toBe(
		"E-mail: The event has no value for title. (3 recipients)",
	);
	expect(say({ reason: "no_recipients" })).toBe("There are no recipients.");
	expect(say({ reason: "constructor" })).toBe("The reason of the service is “constructor”.");
});
