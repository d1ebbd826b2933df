/** The channels of the card gateway's checkout that it charges for (§8). */
export const feeChannels = ["card", "bank_transfer", "mobile_money", "ussd"] as const;

export type FeeChannel = (typeof feeChannels)[number];

/** Whether the card gateway charges for a channel. */
export const isFeeChannel = (channel: string | undefined): channel is FeeChannel =>
	(feeChannels as readonly (string | undefined)[]).includes(channel);

/**
 * What a channel costs: a share in permille, a fixed amount, and the most that both are together. Lowest
 * units.
 */
export type FeeRule = { permille: bigint; fixedMinor: bigint; capMinor?: bigint };

/** The fees of §8. */
export const feeRules: Readonly<Record<FeeChannel, FeeRule>> = {
	card: { permille: 15n, fixedMinor: 2_000n, capMinor: 250_000n },
	bank_transfer: { permille: 0n, fixedMinor: 5_000n },
	mobile_money: { permille: 5n, fixedMinor: 0n },
	ussd: { permille: 0n, fixedMinor: 3_000n },
};

/**
 * Returns the fee that the card gateway is expected to keep of an amount, in lowest units: the share
 * rounded half up to one lowest unit, and the fixed part, at most the cap (§8). What the gateway says later
 * replaces it.
 */
export function estimateFee(amount: bigint, channel: FeeChannel, rules = feeRules): bigint {
	const { permille, fixedMinor, capMinor } = rules[channel];
	const fee = (amount * permille + 500n) / 1_000n + fixedMinor;
	return capMinor !== undefined && fee > capMinor ? capMinor : fee;
}
