import { behaviourOf, phoneOf } from "../accounts/phone.ts";
import type { Sandbox } from "../sandbox.ts";
import { answerPrompt, sendAnswer, settlePrompt } from "./answer-prompt.ts";
import type { Prompt } from "./prompt.ts";

type NewPrompt = Omit<Prompt, "at" | "expiresAt" | "resultCode" | "answeredAt" | "receipt"> & { at: Date };

/** Shows a prompt on a phone until somebody answers it, or it ends by the clock. */
export function showPrompt(sandbox: Sandbox, { at, ...members }: NewPrompt): Prompt {
	const { prompts, phones } = sandbox.tables;
	const { id, phone } = members;
	const prompt = prompts.put(id, {
		...members,
		at: at.toISOString(),
		expiresAt: new Date(at.getTime() + sandbox.behaviour.promptSeconds * 1000).toISOString(),
		...{ resultCode: null, answeredAt: null, receipt: null },
	});
	phones.put(phone, { ...phoneOf(sandbox, phone), openPromptId: id });
	planExpiry(sandbox, prompt);
	sandbox.changes.publish(undefined);
	return prompt;
}

/** Plans the end of a prompt that is not answered. */
export function planExpiry(sandbox: Sandbox, { id, expiresAt }: Prompt): void {
	sandbox.agenda.plan(new Date(expiresAt), (at) => answerPrompt(sandbox, id, { action: "silent", at }));
}

/** Answers a prompt as its phone does by itself, if it does. Resolves when the callback has been sent. */
export async function actByItself(sandbox: Sandbox, { id, phone }: Prompt): Promise<void> {
	const action = behaviourOf(phone);
	if (action === "none" || action === "silent") return;
	const settled = settlePrompt(sandbox, id, { action, at: sandbox.clock.now() });
	if (settled !== undefined) await sendAnswer(sandbox, settled);
}
