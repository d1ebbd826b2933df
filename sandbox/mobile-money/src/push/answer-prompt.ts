import { phoneOf } from "../accounts/phone.ts";
import { sendCallback } from "../callbacks/send-callback.ts";
import { accountOf, balanceOf, moveMoney } from "../ledger/movement.ts";
import { newReceipt } from "../ledger/receipt.ts";
import { sendConfirmation } from "../over-the-counter/confirmation.ts";
import type { Sandbox } from "../sandbox.ts";
import { planExecution } from "../standing-orders/execute-order.ts";
import { toOrderCallback } from "../standing-orders/order-callback.ts";
import { codeOfAction, type Prompt, type PromptAction } from "./prompt.ts";
import { toPushCallback } from "./push-callback.ts";

type Answer = { action: PromptAction; at: Date };

/** Ends a prompt and sends its callback in the background. Does nothing if it has ended already. */
export function answerPrompt(sandbox: Sandbox, id: string, answer: Answer): void {
	const prompt = settlePrompt(sandbox, id, answer);
	if (prompt !== undefined) sandbox.background.run(0, () => sendAnswer(sandbox, prompt));
}

/** Ends a prompt: pays, or says why not. Returns undefined if it has ended already. */
export function settlePrompt(sandbox: Sandbox, id: string, { action, at }: Answer): Prompt | undefined {
	const { prompts, phones } = sandbox.tables;
	const open = prompts.get(id);
	if (open === undefined || open.resultCode !== null) return undefined;
	const refused = action === "accept" ? findRefusal(sandbox, open, at) : codeOfAction[action];
	const receipt = refused === undefined ? agree(sandbox, open, at) : null;
	phones.put(open.phone, { ...phoneOf(sandbox, open.phone), openPromptId: null });
	sandbox.changes.publish(undefined);
	return prompts.put(id, { ...open, resultCode: refused ?? 0, receipt, answeredAt: at.toISOString() });
}

/** The code of why the payer's yes does not pay, or undefined. */
function findRefusal(sandbox: Sandbox, prompt: Prompt, at: Date): number | undefined {
	if (prompt.order !== null) return undefined;
	if (isSameAgain(sandbox, prompt, at)) return 17;
	return balanceOf(sandbox, accountOf.phone(prompt.phone)) < prompt.amountMinor ? 1 : undefined;
}

/** The same phone paid the same amount to the same shortcode a moment ago. */
function isSameAgain({ tables, behaviour }: Sandbox, prompt: Prompt, at: Date): boolean {
	const last = tables.lastPayments.get(sameKey(prompt));
	return last !== undefined && at.getTime() - Date.parse(last.at) < behaviour.sameAmountSeconds * 1000;
}

const sameKey = ({ phone, shortcode, amountMinor }: Prompt) => `${phone}/${shortcode}/${amountMinor}`;

/** Pays, or records the standing order that the payer consents to. Returns the receipt. */
function agree(sandbox: Sandbox, prompt: Prompt, at: Date): string {
	if (prompt.order === null) return pay(sandbox, prompt, at);
	const { id, ordinal, shortcode, phone, amountMinor, reference } = prompt;
	const terms = { id, ordinal, shortcode, phone, amountMinor, reference };
	planExecution(sandbox, sandbox.tables.orders.put(id, { ...terms, ...prompt.order, next: 0 }));
	return newReceipt(sandbox, { ordinal, purpose: "consent", at });
}

function pay(sandbox: Sandbox, prompt: Prompt, at: Date): string {
	const { ordinal, phone, shortcode, amountMinor, reference } = prompt;
	sandbox.tables.lastPayments.put(sameKey(prompt), { at: at.toISOString() });
	return moveMoney(sandbox, {
		...{ kind: "push", ordinal, at, amountMinor, phone, shortcode, reference },
		from: accountOf.phone(phone),
		to: accountOf.shortcode(shortcode, "utility"),
	}).receipt;
}

/** Sends how a prompt ended to the address of its call. */
export async function sendAnswer(sandbox: Sandbox, prompt: Prompt): Promise<void> {
	const { ordinal, callbackUrl: url } = prompt;
	if (prompt.order !== null) {
		const body = () => toOrderCallback(prompt, prompt.receipt ?? "");
		const forged = () => toOrderCallback({ ...prompt, resultCode: 0 }, "FORGED0000");
		return sendCallback(sandbox, { operation: "standing_order", ordinal, url, body, forged });
	}
	const { receiptKey } = sandbox.behaviour;
	const unanswered = { ...prompt, resultCode: 1037, receipt: null };
	await sendCallback(sandbox, {
		...{ operation: "push", ordinal, url },
		body: (changes) => toPushCallback(prompt, { receiptKey, ...changes }),
		forged: () => toPushCallback({ ...prompt, resultCode: 0, receipt: "FORGED0000" }, { receiptKey }),
		timeout: { url, body: toPushCallback(unanswered, { receiptKey }) },
	});
	await confirmToo(sandbox, prompt);
}

/** By the fault `double_route` a paid prompt is confirmed as a payment over the counter, too. */
async function confirmToo(sandbox: Sandbox, { ordinal, receipt }: Prompt): Promise<void> {
	const movement = receipt === null ? undefined : sandbox.tables.movements.get(receipt);
	if (movement === undefined) return;
	if (sandbox.faults.take({ operation: "push", ordinal, faults: ["double_route"] }))
		await sendConfirmation(sandbox, { movement, ordinal });
}
