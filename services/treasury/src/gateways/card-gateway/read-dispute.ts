import { memberAt, textOf } from "../../inbox/read-body.ts";
import type { DisputeSaid, StatedDispute } from "../../outcomes/evidence/refund-evidence.ts";
import { readInstant } from "./read-instant.ts";
import { readMinor } from "./read-minor.ts";

/** How a dispute ended, by the gateway's word (design section 6). */
const ends: Readonly<Record<string, DisputeSaid["status"]>> = {
	declined: "won",
	"merchant-accepted": "lost",
	"auto-accepted": "lost",
};

/** How the dispute of an event or answer ended; undefined: it has not, or its word is not known. */
export const readEnd = (data: unknown): DisputeSaid["status"] | undefined =>
	ends[textOf(memberAt(data, "resolution")) ?? ""];

/** Reads the dispute of an event or answer, with its status; undefined without an id or money. */
export function readDispute(data: unknown, status: DisputeSaid["status"]): StatedDispute | undefined {
	const gatewayId = textOf(memberAt(data, "id"));
	const money = moneyOf(data);
	if (gatewayId === undefined || money === undefined) return undefined;
	const hasEnded = status === "won" || status === "lost";
	return {
		reference: textOf(memberAt(data, "transaction", "reference")),
		transactionId: textOf(memberAt(data, "transaction", "id")),
		currency: money.currency,
		dispute: {
			...{ gatewayId, status, amountMinor: money.amountMinor },
			resolution: hasEnded ? (textOf(memberAt(data, "resolution")) ?? null) : null,
			category: textOf(memberAt(data, "category")) ?? null,
			dueAt: readInstant(textOf(memberAt(data, "dueAt"))),
			...(status === "lost" && { returnedMinor: readMinor(memberAt(data, "refund_amount")) }),
		},
	};
}

/** Of a dispute of the whole transaction, or of nothing, the amount is that of the transaction. */
function moneyOf(data: unknown): { amountMinor: bigint; currency: string } | undefined {
	const transaction = memberAt(data, "transaction");
	const stated = readMinor(memberAt(data, "refund_amount")) ?? 0n;
	const amountMinor = stated > 0n ? stated : readMinor(memberAt(transaction, "amount"));
	const currency = textOf(memberAt(data, "currency")) ?? textOf(memberAt(transaction, "currency"));
	return amountMinor === undefined || currency === undefined ? undefined : { amountMinor, currency };
}
