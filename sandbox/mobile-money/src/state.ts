import { openDemoAccounts } from "./accounts/shortcode.ts";
import { planExpiry } from "./push/show-prompt.ts";
import { keepKeyPair } from "./requests/key-pair.ts";
import type { Sandbox } from "./sandbox.ts";
import { planExecution } from "./standing-orders/execute-order.ts";

/** Ends everything that is in progress or planned. */
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
	for (const order of sandbox.tables.orders.list()) planExecution(sandbox, order);
}

/** Removes everything but the gateway's key, and begins again. The clock stays. */
export function resetState(sandbox: Sandbox): void {
	endWork(sandbox);
	sandbox.faults.set([]);
	keepKeyPair(sandbox, () => sandbox.rows.clear(sandbox.clock.now()));
	openState(sandbox);
	sandbox.changes.publish(undefined);
}
