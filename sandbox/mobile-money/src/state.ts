import { openDemoAccounts } from "./accounts/shortcode.ts";
import { planExpiry } from "./push/push.ts";
import type { Sandbox } from "./sandbox.ts";

/** Ends everything that is under way or planned. */
export function endWork({ agenda, background, deliveries }: Sandbox): void {
	agenda.clear();
	background.clear();
	deliveries.clear();
}

/** Opens the demo accounts if there are none, and plans again what is due later. */
export function openState(sandbox: Sandbox): void {
	openDemoAccounts(sandbox);
	for (const { openPromptId } of sandbox.tables.phones.list()) {
		const prompt = openPromptId === null ? undefined : sandbox.tables.prompts.get(openPromptId);
		if (prompt !== undefined) planExpiry(sandbox, prompt);
	}
}
