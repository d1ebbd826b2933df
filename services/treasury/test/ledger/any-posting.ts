import fc from "fast-check";
import { estimateFee } from "../../src/fees/fee.ts";
import { accounts, floatOf, type Shortcode, suspenseOf } from "../../src/ledger/postings/account.ts";
import * as collecting from "../../src/ledger/postings/collecting.ts";
import * as payingOut from "../../src/ledger/postings/paying-out.ts";
import type { Posting } from "../../src/ledger/postings/posting.ts";
import * as refunding from "../../src/ledger/postings/refunding.ts";
import * as settling from "../../src/ledger/postings/settling.ts";

const shortcode = "174379";
const currency = "KES";
const own: Shortcode = { shortcode, owner: "tenant" };

const amount = fc.bigInt({ min: 1n, max: 500_000n });
/** Of an account that may have less. */
const taken = fc.bigInt({ min: 1n, max: 150_000n });
const part = fc.bigInt({ min: 0n, max: 60_000n });
const fee = fc.bigInt({ min: 0n, max: 2_000n });
const difference = fc.bigInt({ min: -5_000n, max: 5_000n });
const share = fc.bigInt({ min: 0n, max: 100n });
const payee = fc.constantFrom("tenant", "platform");
const channel = fc.constantFrom("card", "bank_transfer", "mobile_money", "ussd");

/** A posting of each function of a file that makes postings. */
type Each<Makers> = Readonly<Record<Exclude<keyof Makers, "toProposed">, fc.Arbitrary<Posting>>>;

const ofCollecting: Each<typeof collecting> = {
	collectByCard: fc.tuple(amount, share, payee, channel).map(([amountMinor, percent, to, by]) =>
		collecting.collectByCard({
			...{ amountMinor, allocatedMinor: (amountMinor * percent) / 100n, currency, payee: to, channel: by },
			feeMinor: estimateFee(amountMinor, by),
		}),
	),
	collectByTenantShortcode: fc.tuple(amount, share).map(([amountMinor, percent]) =>
		collecting.collectByTenantShortcode({
			...{ shortcode, amountMinor, allocatedMinor: (amountMinor * percent) / 100n, currency },
		}),
	),
	collectByPlatformShortcode: amount.map((amountMinor) =>
		collecting.collectByPlatformShortcode({ shortcode, amountMinor, currency }),
	),
	applyToOperation: amount.map((amountMinor) => collecting.applyToOperation({ amountMinor, currency })),
	suspendMobileMoney: amount.map((amountMinor) =>
		collecting.suspendMobileMoney({ ...own, amountMinor, currency }),
	),
	uncountDuplicate: taken.map((amountMinor) =>
		collecting.uncountDuplicate({ ...own, amountMinor, currency }),
	),
	suspendCard: fc
		.tuple(amount, channel)
		.map(([amountMinor, by]) =>
			collecting.suspendCard({ amountMinor, currency, channel: by, feeMinor: estimateFee(amountMinor, by) }),
		),
	allocateSuspended: fc.tuple(amount, payee, fc.boolean()).map(([amountMinor, to, isCard]) =>
		collecting.allocateSuspended({
			...{ amountMinor, currency, payee: to },
			from: isCard ? "card" : own,
			feeMinor: isCard ? 10n : 0n,
		}),
	),
	trueUpFee: difference.map((differenceMinor) =>
		collecting.trueUpFee({
			differenceMinor,
			currency,
			channel: "card",
			isPassedOn: true,
			feesDueMinor: 2_000n,
		}),
	),
	adjustMirror: difference.map((differenceMinor) =>
		collecting.adjustMirror({ shortcode, differenceMinor, currency }),
	),
};

const payout = fc.record({
	...{ netMinor: taken, collectionFeeMinor: fee, transferFeeMinor: fee, currency: fc.constant(currency) },
});

const ofPayouts: Each<typeof payingOut> = {
	holdPayout: payout.map((amounts) => payingOut.holdPayout(amounts)),
	releasePayout: payout.map((amounts) => payingOut.releasePayout(amounts)),
	payOut: fc
		.tuple(payout, fee)
		.map(([amounts, chargedMinor]) => payingOut.payOut({ ...amounts, chargedMinor })),
	trueUpTransferFee: fc
		.tuple(difference, fc.boolean())
		.map(([differenceMinor, isPosted]) =>
			payingOut.trueUpTransferFee({ differenceMinor, isPosted, currency }),
		),
	returnPayout: payout.map((amounts) => payingOut.returnPayout(amounts)),
	holdLate: fc
		.tuple(payout, taken)
		.map(([amounts, availableMinor]) => payingOut.holdLate({ ...amounts, availableMinor })),
	payFromShortcode: taken.map((amountMinor) =>
		payingOut.payFromShortcode({ shortcode, amountMinor, currency }),
	),
	chargeShortcode: fc
		.tuple(fc.constantFrom("payout" as const, "refund" as const), difference)
		.map(([of, amountMinor]) => payingOut.chargeShortcode(of, { shortcode, amountMinor, currency })),
};

const kind = fc.constantFrom("refund", "dispute");
const leaving = fc.constantFrom(accounts.cardUnsettled, accounts.cardBalance);

const ofRefunds: Each<typeof refunding> = {
	holdReturn: fc.tuple(kind, part, part, part, fc.boolean()).map(([of, pending, available, debt, isLate]) =>
		refunding.holdReturn(of, {
			currency,
			shares: [
				[accounts.pending, pending],
				[accounts.available, available],
				[accounts.debt, debt],
			],
			isLate,
		}),
	),
	releaseReturn: fc.tuple(kind, part, part).map(([of, pending, available]) =>
		refunding.releaseReturn(of, {
			currency,
			shares: [
				[accounts.pending, pending],
				[accounts.available, available],
			],
		}),
	),
	payReturn: fc
		.tuple(kind, taken, leaving)
		.map(([of, amountMinor, from]) => refunding.payReturn(of, { currency, amountMinor, from })),
	payFromShortcode: fc.tuple(part, part).map(([paid, suspended]) =>
		refunding.payFromShortcode({
			...{ currency, from: floatOf(own) },
			shares: [
				[accounts.mobile, paid],
				[suspenseOf(own), suspended],
			],
		}),
	),
	recoverDebt: taken.map((amountMinor) => refunding.recoverDebt({ currency, amountMinor })),
};

const ofSettlements: Each<typeof settling> = {
	settle: fc
		.tuple(amount, fc.constantFrom("bank", "balance"))
		.map(([amountMinor, to]) => settling.settle({ amountMinor, currency, to })),
	release: taken.map((amountMinor) => settling.release({ amountMinor, currency })),
	topUp: amount.map((amountMinor) => settling.topUp({ amountMinor, currency })),
	withdraw: amount.map((amountMinor) => settling.withdraw({ amountMinor, currency })),
	varyUnsettled: difference.map((amountMinor) => settling.varyUnsettled({ amountMinor, currency })),
	keepFee: difference.map((amountMinor) => settling.keepFee({ amountMinor, currency })),
	writeOff: taken.map((amountMinor) => settling.writeOff({ amountMinor, currency })),
};

/** A posting of any kind, of a random amount; those that take money are often refused. */
export const anyPosting: fc.Arbitrary<Posting> = fc
	.oneof(...[ofCollecting, ofPayouts, ofRefunds, ofSettlements].flatMap((each) => Object.values(each)))
	.filter(({ lines }) => lines.length > 0);

const collected = { amountMinor: 500_000n, allocatedMinor: 500_000n, currency, payee: "tenant" } as const;
const held = 100_000n;

/** Postings after which a tenant has something in each account that others take from. */
export const funds: readonly Posting[] = [
	collecting.collectByCard({ ...collected, channel: "card", feeMinor: 9_500n }),
	settling.release({ amountMinor: 400_000n, currency }),
	payingOut.holdPayout({ netMinor: held, collectionFeeMinor: 0n, transferFeeMinor: 0n, currency }),
	refunding.holdReturn("refund", { currency, shares: [[accounts.available, held]] }),
	refunding.holdReturn("dispute", { currency, shares: [[accounts.debt, held]] }),
];
