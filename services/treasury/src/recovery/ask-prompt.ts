import type { Answer } from "../gateways/calls/answer.ts";
import { asHint } from "../gateways/mobile-money/account.ts";
import { type PushResult, queryPush } from "../gateways/mobile-money/push.ts";
import { mobileMoneyCurrency } from "../money/amount.ts";
import { saidByPushCode } from "../outcomes/collecting/push-code.ts";
import type { Said } from "../outcomes/evidence/evidence.ts";
import type { Attempt } from "../payments/attempt.ts";
import type { Payee } from "../payments/intent.ts";
import { findOwnerId } from "../platform-owner.ts";
import type { Treasury } from "../treasury.ts";

type Asking = {
	/** The payee of the intent: the prompt is of its shortcode. */
	payee: Payee;
	/**
	 * Whether a sender who is not trusted is the reason. Such questions have a share of calls of their
	 * own.
	 */
	isHint: boolean;
};

const unnamedMs = 180_000;

/**
 * Asks the mobile-money gateway what became of a prompt. Returns undefined while it is not known, or the
 * gateway did not answer.
 */
export async function askPrompt(
	domain: Treasury,
	attempt: Attempt,
	{ payee, isHint }: Asking,
): Promise<Said | undefined> {
	const { tenantId, checkoutRequestId, expiresAt, shortcode } = attempt;
	// The process ended before the answer with the ids: only the callback can name this prompt.
	if (checkoutRequestId === null)
		return expiresAt.getTime() + unnamedMs < domain.now().getTime() ? { kind: "expired" } : undefined;
	const shortcodeOf = payee === "platform" ? await findOwnerId(domain) : tenantId;
	const account = await domain.gateways.findMobileMoney(shortcodeOf, shortcode ?? undefined);
	if (account === undefined) return undefined;
	return saidByQuery(await queryPush(isHint ? asHint(account) : account, checkoutRequestId));
}

function saidByQuery(answer: Answer<PushResult>): Said | undefined {
	if (answer.is !== "accepted") return undefined;
	const said = saidByPushCode(answer.ids.resultCode);
	if (said !== undefined) return said;
	return {
		...{ kind: "paid", amountMinor: undefined, currency: mobileMoneyCurrency, receipt: undefined },
		...{ paidAt: undefined, payerMasked: undefined },
	};
}
