import { otpSeconds, type Payout } from "../../payouts/payout.ts";
import type { PayoutSaid } from "../evidence/payout-evidence.ts";

/**
 * After how many seconds a payout is sent again that the gateway did not take: it had too little, or
 * else.
 */
const againSeconds = { insufficient_balance: 300, other: 60 };
/** How long after it was sent the gateway is asked first. */
const askedAfterSeconds = 30;

/** The code of a refusal because the transfer balance is too low. */
export const insufficientBalance = "insufficient_balance";

type Changes = {
	[K in PayoutSaid["kind"]]?: (said: Extract<PayoutSaid, { kind: K }>, at: Date) => Partial<Payout>;
};

const after = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);

const changes: Changes = {
	approved: (_, at) => ({ nextCheckAt: at }),
	submitted: (_, at) => ({
		...{ submittedAt: at, sends: 1, checks: 0, failureCode: null },
		nextCheckAt: after(at, askedAfterSeconds),
	}),
	not_sent: ({ code }, at) => ({
		...{ failureCode: code, sends: 0 },
		nextCheckAt: after(at, code === insufficientBalance ? againSeconds[code] : againSeconds.other),
	}),
	needs_otp: (_, at) => ({ nextCheckAt: after(at, otpSeconds) }),
	cancelled: ({ code = null }) => ({ failureCode: code }),
	failed: ({ code }) => ({ failureCode: code }),
	paid: ({ feeMinor = null }, at) => ({ paidAt: at, feeMinor, failureCode: null }),
};

/**
 * What changes of a payout besides its status. One about which nothing is asked any more stays in
 * review until its end. Pure.
 */
export function changeBy(
	{ needsReview, nextCheckAt }: Pick<Payout, "needsReview" | "nextCheckAt">,
	said: PayoutSaid,
	at: Date,
): Partial<Payout> {
	const change = changes[said.kind] as ((said: PayoutSaid, at: Date) => Partial<Payout>) | undefined;
	return { needsReview: needsReview && nextCheckAt === null, ...change?.(said, at) };
}
