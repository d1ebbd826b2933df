/**
 * After how many seconds since it was sent an object is asked about again, while its end is not known. A
 * prompt ends within two minutes; its result may come late.
 */
export const ladders = {
	push: [20, 40, 70, 120, 300, 900, 3_600, 21_600, 86_400],
	checkout: [60, 300, 900, 3_600, 21_600, 86_400],
	refund: [30, 120, 600, 3_600, 21_600, 86_400],
	payout: [30, 120, 600, 3_600, 21_600, 86_400],
} as const;
