import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { type Reading, unreadable } from "../../../inbox/reading.ts";
import { readMinor } from "../read-minor.ts";
import { saidByRefundStatus } from "../said-by-refund.ts";

/** Returns the reader of an event about a refund, by its status. Events have no id of the refund. */
export const readRefund =
	(status: string) =>
	(data: unknown): Reading => {
		const reference = textOf(memberAt(data, "transaction_reference"));
		const amountMinor = readMinor(memberAt(data, "amount"));
		const currency = textOf(memberAt(data, "currency"));
		if (reference === undefined || amountMinor === undefined || currency === undefined) return unreadable;
		const gatewayRef = textOf(memberAt(data, "id"));
		const said = saidByRefundStatus(status);
		return { kind: "refund", event: { reference, amountMinor, currency, gatewayRef, said } };
	};
