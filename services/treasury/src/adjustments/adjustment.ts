import { topUp, varyUnsettled, withdraw, writeOff } from "../ledger/postings/settling.ts";

/** A line of an adjustment: an account of the tenant, or of the platform. */
export type AdjustmentLine = {
	side: "debit" | "credit";
	owner: "tenant" | "platform";
	code: string;
	amountMinor: bigint;
};

/** A journal that an operator asks for, and another one approves. */
export type Adjustment = {
	id: string;
	/** The tenant whose accounts it changes; undefined: it is of the platform alone. */
	tenantId: string | undefined;
	purpose: AdjustmentPurpose;
	currency: string;
	lines: readonly AdjustmentLine[];
	because: string;
	state: AdjustmentState;
	/** The exception that it resolves. */
	exceptionId: string | undefined;
	createdBy: string;
	createdAt: Date;
	approvedBy: string | undefined;
	approvedAt: Date | undefined;
};

/** `rejected`: an operator decided that it is not posted. */
export const adjustmentStates = ["waiting", "posted", "rejected"] as const;

type AdjustmentState = (typeof adjustmentStates)[number];

/** What an operator may ask for; `correction`: its lines say it. */
export const askedPurposes = ["top_up", "withdrawal", "variance", "write_off", "correction"] as const;

/** What an adjustment is for; `suspense`: a charge that was not counted, which an exception is about. */
export const adjustmentPurposes = [...askedPurposes, "suspense"] as const;

export type AdjustmentPurpose = (typeof adjustmentPurposes)[number];
export type Movement = Exclude<AdjustmentPurpose, "correction" | "suspense">;

const postings: Readonly<Record<Movement, typeof topUp>> = {
	top_up: topUp,
	withdrawal: withdraw,
	variance: varyUnsettled,
	write_off: writeOff,
};

/** The lines of a movement that has a posting of its own. */
export const linesOf = (
	movement: Movement,
	money: { amountMinor: bigint; currency: string },
): AdjustmentLine[] =>
	postings[movement](money).lines.map(({ side, account: { owner, code }, amountMinor }) => ({
		...{ side, owner, code, amountMinor },
	}));

/** Whether debit and credit are equal. */
export function isBalanced(lines: readonly AdjustmentLine[]): boolean {
	const sum = lines.reduce(
		(total, { side, amountMinor }) => (side === "debit" ? total + amountMinor : total - amountMinor),
		0n,
	);
	return lines.length >= 2 && sum === 0n;
}
