import { treasuryPaymentRequired } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import { lockIntent, type StoredIntent, takeRequired } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { type FailureReason, recordAskingFailed } from "../payments/intent-events.ts";
import { payUrlOf } from "../payments/pay-code.ts";
import { findPayer } from "../prompts/payer.store.ts";
import type { Treasury } from "../treasury.ts";
import { isAutomatic } from "./methods/phone-for.ts";

type Parts = Pick<Treasury, "now" | "keys"> & { settings: Pick<Treasury["settings"], "consoleUrl"> };

/**
 * Publishes that somebody has to pay a bill, once for each asking. A suspended tenant is sent nothing: its
 * bill is published by `requireLater`. Call it inside the tenant, with the intent locked.
 */
export async function requirePayment(tx: Database, parts: Parts, intent: StoredIntent): Promise<void> {
	if (!(await findPayer(tx)).isServed || !(await takeRequired(tx, intent.id))) return;
	await recordEvent(tx, treasuryPaymentRequired, {
		...{ subject: intent.operationId, tenantId: intent.tenantId, now: parts.now() },
		data: {
			...{ operation_id: intent.operationId, tenant_id: intent.tenantId, intent_id: intent.id },
			...{ amount_minor: toMinor(intent.amountMinor), currency: intent.currency },
			pay_url: payUrlOf(intent, parts),
			...{ expires_at: intent.expiresAt.toISOString(), because: intent.operationKind ?? "request" },
		},
	});
}

/**
 * Answers the asking of a renewal or an overage: nothing collects it without a person any more, so somebody
 * has to pay. Call it inside the tenant, with the intent locked.
 */
export async function failRenewal(
	tx: Database,
	parts: Parts,
	{ intent, reason }: { intent: StoredIntent; reason: FailureReason },
): Promise<void> {
	await requirePayment(tx, parts, intent);
	await recordAskingFailed(tx, { intent, reason, now: parts.now() });
}

/** Whether an open bill is not collected without a person. */
const needsPerson = (intent: StoredIntent): boolean =>
	!isAutomatic(intent) || intent.failedAttempt >= intent.askedAttempt;

/** Publishes an open bill that somebody has to pay, if that was not published as its tenant was suspended. */
export function requireLater(domain: Treasury, tenantId: string, intentId: string): Promise<void> {
	return inTenant(domain.db, tenantId, async (tx) => {
		const intent = await lockIntent(tx, intentId);
		if (intent !== undefined && isOpen(intent) && needsPerson(intent))
			await requirePayment(tx, domain, intent);
	});
}
