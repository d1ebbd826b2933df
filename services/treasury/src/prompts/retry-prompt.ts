import { type Database, inTenant } from "@lango/postgres";
import { isHalted } from "../halts/is-halted.ts";
import { type AttemptOf, findAttempt, listAttempts } from "../payments/attempt.store.ts";
import { findIntent } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import type { Treasury } from "../treasury.ts";
import { acceptRefusal } from "./accept-refusal.ts";
import { findPayer } from "./payer.store.ts";
import { requestPush } from "./request-push.ts";

/** Later the payer does not wait for the prompt any more. */
const keptMs = 3_600_000;

/**
 * Asks the phone of a prompt again that the gateway did not take, if nothing was tried since and the intent
 * is open. Throws `halted` while collections are stopped; any other refusal ends it.
 */
export async function retryPrompt(domain: Treasury, tenantId: string, attemptId: string): Promise<void> {
	const attempt = await inTenant(domain.db, tenantId, (tx) => findLast(tx, attemptId, domain.now()));
	if (attempt?.phone == null) return;
	const { intentId, payee, phone } = attempt;
	const request = { tenantId, intentId, payee, phone, requestedBy: "retry" };
	await requestPush(domain, request).catch((error) => {
		if (isHalted(error)) throw error;
		acceptRefusal(domain, error, { tenantId, intentId, requestedBy: "retry" });
	});
}

/** Returns undefined if the prompt must not be tried again. */
async function findLast(tx: Database, id: string, now: Date): Promise<AttemptOf | undefined> {
	const attempt = await findAttempt(tx, id);
	if (attempt === undefined || now.getTime() - attempt.createdAt.getTime() > keptMs) return undefined;
	const intent = await findIntent(tx, attempt.intentId);
	if (intent === undefined || !isOpen(intent) || !(await findPayer(tx)).isServed) return undefined;
	const last = (await listAttempts(tx, [intent.id])).at(-1);
	return last?.id === id && last.status === "rejected" ? attempt : undefined;
}
