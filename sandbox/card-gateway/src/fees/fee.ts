/** The channels of a checkout, §4.4. */
export const channels = ["card", "bank_transfer", "mobile_money", "ussd"] as const;
export type Channel = (typeof channels)[number];

/** Amounts are lowest units. Half a unit is rounded up. */
const permille = (amount: number, rate: number) => Math.floor((amount * rate + 500) / 1000);

const fees: Readonly<Record<Channel, (amount: number) => number>> = {
	card: (amount) => Math.min(permille(amount, 15) + 2_000, 250_000),
	bank_transfer: () => 5_000,
	mobile_money: (amount) => permille(amount, 5),
	ussd: () => 3_000,
};

/** What the gateway keeps of a payment of `amount` lowest units, §8. */
export const feeOf = (channel: Channel, amount: number): number => fees[channel](amount);
