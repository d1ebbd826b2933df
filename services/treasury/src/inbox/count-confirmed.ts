import { type FeeChannel, isFeeChannel } from "../fees/fee.ts";
import type { Paid, Said } from "../outcomes/evidence/evidence.ts";
import type { Delivery } from "./delivery.ts";
import type { Reading } from "./reading.ts";

type Counts = {
	confirmed(known: { gateway: Delivery["gateway"]; by: "delivery"; paidAt: Date }): void;
	charged(charge: Charge): void;
};

type Charge = {
	by: "charge";
	channel: FeeChannel;
	currency: string;
	amountMinor: bigint;
	feeMinor: bigint;
};

type Applied = {
	delivery: Pick<Delivery, "gateway">;
	reading: Reading;
	/** What the gateway answered about a charge, if it was asked. */
	verified: { said: Said | undefined } | undefined;
};

/** Counts a payment whose delivery was applied: how long that took, and the fee that the gateway says. */
export function countConfirmed(counts: Counts, { delivery: { gateway }, reading, verified }: Applied): void {
	const by = "delivery" as const;
	if (reading.kind === "confirmation" && reading.confirmation.occurredAt !== undefined)
		counts.confirmed({ gateway, by, paidAt: reading.confirmation.occurredAt });
	if (reading.kind !== "attempt") return;
	const said = verified?.said ?? reading.statement.said;
	if (said.kind !== "paid") return;
	if (said.paidAt !== undefined) counts.confirmed({ gateway, by, paidAt: said.paidAt });
	if (!hasFee(said)) return;
	const { channel, currency, amountMinor, feeMinor } = said;
	counts.charged({ by: "charge", channel, currency, amountMinor, feeMinor });
}

const hasFee = (said: Paid): said is Paid & { amountMinor: bigint; feeMinor: bigint; channel: FeeChannel } =>
	said.amountMinor !== undefined && said.feeMinor !== undefined && isFeeChannel(said.channel);
