import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { parked, type Reading, unreadable } from "../../../inbox/reading.ts";
import type { DisputeSaid } from "../../../outcomes/evidence/refund-evidence.ts";
import { readInstant } from "../read-instant.ts";
import { readMinor } from "./read-minor.ts";

/** How a dispute ended, by the gateway's word (design section 6). */
const ends: Readonly<Record<string, DisputeSaid["status"]>> = {
	declined: "won",
	"merchant-accepted": "lost",
	"auto-accepted": "lost",
};

/** Returns the reader of an event about a dispute; without a status, of one that is resolved. */
export const readDispute =
	(status: "open" | "reminded" | undefined) =>
	(data: unknown): Reading => {
		const resolution = status === undefined ? (textOf(memberAt(data, "resolution")) ?? null) : null;
		const said = status ?? ends[resolution ?? ""];
		if (said === undefined) return parked("the gateway does not say in whose favour the dispute ended");
		const gatewayId = textOf(memberAt(data, "id"));
		const money = moneyOf(data);
		if (gatewayId === undefined || money === undefined) return unreadable;
		const category = textOf(memberAt(data, "category")) ?? null;
		const dueAt = readInstant(textOf(memberAt(data, "dueAt")));
		return {
			kind: "dispute",
			event: {
				reference: textOf(memberAt(data, "transaction", "reference")),
				transactionId: textOf(memberAt(data, "transaction", "id")),
				...{ currency: money.currency, eventKey: `charge.dispute|${gatewayId}|${said}` },
				dispute: {
					...{ gatewayId, status: said, resolution, category, dueAt },
					amountMinor: money.amountMinor,
					...(said === "lost" && { returnedMinor: readMinor(memberAt(data, "refund_amount")) }),
				},
			},
		};
	};

/** Of a dispute of the whole transaction the event may have its amount only. */
function moneyOf(data: unknown): { amountMinor: bigint; currency: string } | undefined {
	const transaction = memberAt(data, "transaction");
	const amountMinor =
		readMinor(memberAt(data, "refund_amount")) ?? readMinor(memberAt(transaction, "amount"));
	const currency = textOf(memberAt(data, "currency")) ?? textOf(memberAt(transaction, "currency"));
	return amountMinor === undefined || currency === undefined ? undefined : { amountMinor, currency };
}
