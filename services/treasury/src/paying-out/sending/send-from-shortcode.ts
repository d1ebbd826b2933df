import type { Answer } from "../../gateways/calls/answer.ts";
import type { MobileMoney, ResultUrls } from "../../gateways/mobile-money/account.ts";
import {
	type BusinessCommand,
	type CustomerCommand,
	payBusiness,
	payCustomer,
	payPersonalTill,
} from "../../gateways/mobile-money/payout.ts";
import type { Conversation } from "../../gateways/mobile-money/read-response.ts";
import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import type { Payout } from "../../payouts/payout.ts";
import type { PayoutTarget } from "../../payouts/payout-target.store.ts";
import { saidByRefusal } from "./send-transfer.ts";

type Sending = { payout: Payout; target: PayoutTarget; urls: ResultUrls };

/** Sends a payout from the tenant's own shortcode. It is never sent a second time. */
export async function sendFromShortcode(account: MobileMoney, sending: Sending): Promise<PayoutSaid> {
	const answer = await call(account, sending);
	if (answer.is === "accepted") return { kind: "in_flight", conversationId: answer.ids.conversationId };
	return answer.is === "unknown" ? { kind: "unknown", because: answer.because } : saidByRefusal(answer);
}

function call(account: MobileMoney, { payout, target, urls }: Sending): Promise<Answer<Conversation>> {
	const { destination: to, command, remarks, accountRef } = target;
	const common = { ...urls, originatorId: payout.reference, amountMinor: payout.netMinor, remarks };
	if (payout.kind === "customer")
		return payCustomer(account, { ...common, command: command as CustomerCommand, phone: to });
	if (payout.kind === "personal_till") return payPersonalTill(account, { ...common, till: to });
	return payBusiness(account, {
		...{ ...common, to, command: command as BusinessCommand },
		toKind: toKindOf(command, account),
		// Where it is not an account that is paid, the gateway needs some text.
		accountReference: accountRef ?? account.accountReference ?? "Payout",
	});
}

/** A till is paid by a merchant's transfer. The own working account is of the own shortcode. */
function toKindOf(command: string, { kind }: MobileMoney): "paybill" | "till" {
	if (command === "MerchantTransferFromMerchantToWorking") return kind;
	return command === "MerchantToMerchantTransfer" ? "till" : "paybill";
}
