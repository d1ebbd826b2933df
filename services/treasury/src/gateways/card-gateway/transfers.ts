import { type Answer, type Raw, textOf } from "../calls/answer.ts";
import { amountOf, type CardGateway, dataOf, listOf, toGatewayAmount } from "./account.ts";

/** A payout through the transfer balance. */
export type NewTransfer = {
	amountMinor: bigint;
	/** The code of its recipient at the gateway. */
	recipientCode: string;
	reason: string;
	/**
	 * Ours: `out-` and 32 hex digits. The same one again is refused with `duplicate_reference`: the
	 * transfer exists.
	 */
	reference: string;
};

/** A transfer as the gateway states it. Its status is the gateway's word. */
export type Transfer = {
	transferCode: string | undefined;
	reference: string;
	status: string;
	amountMinor: bigint | undefined;
	currency: string | undefined;
	/** Undefined until the gateway states it. */
	feeMinor: bigint | undefined;
};

/** Reads a transfer of any answer or event; undefined without a reference or a status. */
function readTransfer(data: Raw | undefined): Transfer | undefined {
	const [reference, status] = [textOf(data, "reference"), textOf(data, "status")];
	if (reference === undefined || status === undefined) return undefined;
	return {
		...{ reference, status, transferCode: textOf(data, "transfer_code") },
		currency: textOf(data, "currency"),
		...{ amountMinor: amountOf(data, "amount"), feeMinor: amountOf(data, "fee_charged") },
	};
}

const source = "balance";

const bodyOf = ({ amountMinor, recipientCode, reason, reference }: NewTransfer) => ({
	...{ amount: toGatewayAmount(amountMinor), recipient: recipientCode, reason, reference },
});

/** Starts a transfer. */
export const startTransfer = (
	gateway: CardGateway,
	transfer: NewTransfer & { currency: string },
): Promise<Answer<Transfer>> =>
	gateway.send(
		{
			...{ operation: "transfer", path: "/transfer", isMoneyOut: true },
			json: { source, currency: transfer.currency, ...bodyOf(transfer) },
		},
		(body) => readTransfer(dataOf(body)),
	);

/** The most transfers of one bulk request. */
const bulkMax = 100;

/**
 * Starts several transfers. A transfer that the answer leaves out is unknown: it is verified by its
 * reference.
 */
export async function startTransfers(
	gateway: CardGateway,
	{ currency, transfers }: { currency: string; transfers: readonly NewTransfer[] },
): Promise<Answer<{ transfers: Transfer[] }>> {
	if (transfers.length > bulkMax) throw new Error(`a bulk request has at most ${bulkMax} transfers`);
	return gateway.send(
		{
			...{ operation: "bulk-transfer", path: "/transfer/bulk", isMoneyOut: true },
			json: { currency, source, transfers: transfers.map(bodyOf) },
		},
		(body) => {
			const found = listOf(body)
				?.map(readTransfer)
				.filter((one) => one !== undefined);
			return found && { transfers: found };
		},
	);
}

/** Asks for a transfer by our reference. Refused with `not_found` if the gateway has none. */
export const verifyTransfer = (gateway: CardGateway, reference: string): Promise<Answer<Transfer>> =>
	gateway.send(
		{ operation: "verify-transfer", path: `/transfer/verify/${encodeURIComponent(reference)}` },
		(body) => readTransfer(dataOf(body)),
	);

/**
 * Confirms a transfer with the one-time password that reached the platform (capability
 * `finalize_transfer`).
 */
export const finalizeTransfer = (
	gateway: CardGateway,
	{ transferCode, otp }: { transferCode: string; otp: string },
): Promise<Answer<Transfer>> =>
	gateway.send(
		{
			...{ operation: "finalize-transfer", path: "/transfer/finalize_transfer", isMoneyOut: true },
			json: { transfer_code: transferCode, otp },
		},
		(body) => readTransfer(dataOf(body)),
	);

/** Asks for another one-time password (capability `resend_otp`). */
export const resendOtp = (
	gateway: CardGateway,
	transferCode: string,
): Promise<Answer<Record<never, never>>> =>
	gateway.send(
		{
			...{ operation: "resend-otp", path: "/transfer/resend_otp" },
			json: { transfer_code: transferCode, reason: "transfer" },
		},
		() => ({}),
	);
