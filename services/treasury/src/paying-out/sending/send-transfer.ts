import type { Answer, Refused } from "../../gateways/calls/answer.ts";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { saidByTransfer } from "../../gateways/card-gateway/said-by-transfer.ts";
import {
	type NewTransfer,
	startTransfer,
	startTransfers,
	type Transfer,
} from "../../gateways/card-gateway/transfers.ts";
import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import { insufficientBalance } from "../../outcomes/payouts/payout-change.ts";
import type { Payout } from "../../payouts/payout.ts";

/** What the gateway said about payouts that were sent, by their ids. */
export type SaidBy = ReadonlyMap<string, PayoutSaid>;

/** Sends one payout with its reference. */
export const sendTransfer = async (gateway: CardGateway, payout: Payout): Promise<PayoutSaid> =>
	saidByAnswer(await startTransfer(gateway, { ...toTransfer(payout), currency: payout.currency }));

type Batch = {
	payouts: readonly Payout[];
	/** Whether the next one may be sent, when they are sent one by one. */
	mayContinue: () => Promise<boolean>;
};

/**
 * Sends payouts of one currency, several of them at once. The gateway takes all of them or none, so one that
 * it refuses, or that each need a one-time password, are sent one by one.
 */
export async function sendTransfers(gateway: CardGateway, batch: Batch): Promise<SaidBy> {
	const { payouts } = batch;
	const [first] = payouts;
	if (first === undefined) return new Map();
	if (payouts.length === 1) return new Map([[first.id, await sendTransfer(gateway, first)]]);
	const transfers = payouts.map(toTransfer);
	const answer = await startTransfers(gateway, { currency: first.currency, transfers });
	const isRefused = answer.is === "refused" && saidByRefusal(answer).kind === "failed";
	if (isRefused) return sendOneByOne(gateway, batch);
	return new Map(payouts.map((payout) => [payout.id, saidInBulk(answer, payout)]));
}

async function sendOneByOne(gateway: CardGateway, { payouts, mayContinue }: Batch): Promise<SaidBy> {
	const said = new Map<string, PayoutSaid>();
	for (const payout of payouts)
		said.set(
			payout.id,
			(await mayContinue())
				? await sendTransfer(gateway, payout)
				: { kind: "not_sent", code: "interrupted", needsOperator: false },
		);
	return said;
}

const toTransfer = ({ netMinor, recipientCode, reference }: Payout): NewTransfer => {
	if (recipientCode === null) throw new Error("a payout by the card gateway has a recipient");
	return { amountMinor: netMinor, recipientCode, reason: "Payout", reference };
};

/** What the answer about a transfer says about its payout. */
function saidByAnswer(answer: Answer<Transfer>): PayoutSaid {
	if (answer.is === "accepted") return saidByTransfer(answer.ids);
	return answer.is === "unknown" ? { kind: "unknown", because: answer.because } : saidByRefusal(answer);
}

/** One that the answer leaves out is unknown. */
function saidInBulk(answer: Answer<{ transfers: Transfer[] }>, { reference }: Payout): PayoutSaid {
	if (answer.is !== "accepted") return saidByAnswer(answer as Answer<never>);
	const found = answer.ids.transfers.find((transfer) => transfer.reference === reference);
	return found === undefined ? { kind: "unknown", because: "left_out" } : saidByTransfer(found);
}

/** A reference that was used before means that the transfer exists. */
export const duplicateReference = "duplicate_reference";

/** What a refusal says about a payout. Nothing was sent, but for a reference that exists. */
export function saidByRefusal({ code, isRetryable }: Refused): PayoutSaid {
	if (code === duplicateReference) return { kind: "unknown", because: code };
	const needsOperator = code === insufficientBalance || isAboutCaller(code);
	return isRetryable || needsOperator ? { kind: "not_sent", code, needsOperator } : { kind: "failed", code };
}

const missingSettings: ReadonlySet<string> = new Set(["initiator_missing", "certificate_missing"]);

/** The gateway refuses the caller, or the call cannot be made: another payout is refused as well. */
const isAboutCaller = (code: string): boolean =>
	missingSettings.has(code) || /^(?:http_40[13]|40[13]\.|400\.008\.)/.test(code);
