import { type Account, accounts, floatOf, gatewayFeeOf, type Shortcode, suspenseOf } from "./account.ts";
import { credit, debit, makePosting, type Posting, passOn } from "./posting.ts";

/** The receiver of a payment: the tenant, or the platform to which the tenant owes it. */
export type Payee = "tenant" | "platform";

/** An amount in lowest units of its currency. */
export type Money = { amountMinor: bigint; currency: string };

/**
 * Money by the card gateway: what the payer paid, and the fee that the gateway keeps of it on this channel.
 */
export type CardMoney = Money & { feeMinor: bigint; channel: string };

/** Of a receipt with a known tenant: what is allocated to the intent; the rest is excess. */
type Allocated = { payee: Payee; allocatedMinor: bigint };

/**
 * Posts a card receipt whose tenant is known by our reference. The tenant is credited gross; the whole fee
 * is an expense of the platform and a receivable from the tenant. What is not allocated goes to suspense.
 * Money for the platform goes to `unapplied`, and its fee is not passed on.
 */
export function collectByCard(receipt: CardMoney & Allocated): Posting {
	const { amountMinor, allocatedMinor, feeMinor, channel, currency, payee } = receipt;
	requireWithin(amountMinor, allocatedMinor);
	const toPayee =
		payee === "platform"
			? [credit(accounts.unapplied, amountMinor)]
			: [
					...passOn(feeMinor),
					credit(accounts.pending, allocatedMinor),
					credit(accounts.cardSuspense, amountMinor - allocatedMinor),
				];
	return makePosting("collection", currency, [
		debit(accounts.cardUnsettled, amountMinor - feeMinor),
		debit(gatewayFeeOf(channel), feeMinor),
		...toPayee,
	]);
}

/** A receipt is not allocated beyond its amount: a larger part would be taken out of suspense. */
function requireWithin(amountMinor: bigint, allocatedMinor: bigint): void {
	if (allocatedMinor < 0n || allocatedMinor > amountMinor)
		throw new Error(`${allocatedMinor} of a receipt of ${amountMinor} cannot be allocated`);
}

/** Posts a mobile-money receipt by the tenant's shortcode; what is not allocated goes to its suspense. */
export function collectByTenantShortcode({
	shortcode,
	amountMinor,
	allocatedMinor,
	currency,
}: Money & { shortcode: string; allocatedMinor: bigint }): Posting {
	requireWithin(amountMinor, allocatedMinor);
	const own: Shortcode = { shortcode, owner: "tenant" };
	return makePosting("collection", currency, [
		debit(floatOf(own), amountMinor),
		credit(accounts.mobile, allocatedMinor),
		credit(suspenseOf(own), amountMinor - allocatedMinor),
	]);
}

/**
 * Posts a mobile-money receipt by the platform's shortcode that names a tenant: all of it is the tenant's,
 * not used yet.
 */
export function collectByPlatformShortcode({
	shortcode,
	amountMinor,
	currency,
}: Money & { shortcode: string }): Posting {
	return makePosting("collection", currency, [
		debit(floatOf({ shortcode, owner: "platform" }), amountMinor),
		credit(accounts.unapplied, amountMinor),
	]);
}

/** Uses what the tenant paid to the platform for an operation that it pays in full. */
export function applyToOperation({ amountMinor, currency }: Money): Posting {
	return makePosting("application", currency, [
		debit(accounts.unapplied, amountMinor),
		credit(accounts.income, amountMinor),
	]);
}

/** Posts a mobile-money receipt that fits nothing to the suspense of its shortcode. */
export function suspendMobileMoney({ shortcode, owner, amountMinor, currency }: Money & Shortcode): Posting {
	return makePosting("suspense", currency, [
		debit(floatOf({ shortcode, owner }), amountMinor),
		credit(suspenseOf({ shortcode, owner }), amountMinor),
	]);
}

/**
 * Takes a mobile-money receipt of which nothing is allocated out of the books: another one counted its
 * money, too.
 */
export function uncountDuplicate({ shortcode, owner, amountMinor, currency }: Money & Shortcode): Posting {
	return makePosting("duplicate", currency, [
		debit(suspenseOf({ shortcode, owner }), amountMinor),
		credit(floatOf({ shortcode, owner }), amountMinor),
	]);
}

/** Posts a card receipt whose tenant is not known. Its fee is passed on when it is allocated. */
export function suspendCard({ amountMinor, feeMinor, channel, currency }: CardMoney): Posting {
	return makePosting("suspense", currency, [
		debit(accounts.cardUnsettled, amountMinor - feeMinor),
		debit(gatewayFeeOf(channel), feeMinor),
		credit(accounts.cardSuspense, amountMinor),
	]);
}

/** Where money lies that is allocated now: the suspense of the card gateway, or of a shortcode. */
export type SuspendedIn = "card" | Shortcode;

/**
 * Allocates money in suspense to an intent. `feeMinor` is the fee of a card receipt if it was not passed on
 * yet, else 0. Money of the card gateway is available once its receipt is settled, and pending before.
 */
export function allocateSuspended({
	from,
	payee,
	isSettled = false,
	amountMinor,
	feeMinor = 0n,
	currency,
}: Money & { from: SuspendedIn; payee: Payee; isSettled?: boolean; feeMinor?: bigint }): Posting {
	const suspense = from === "card" ? accounts.cardSuspense : suspenseOf(from);
	return makePosting("allocation", currency, [
		debit(suspense, amountMinor),
		credit(allocationTo({ from, payee, isSettled }), amountMinor),
		...(payee === "tenant" ? passOn(feeMinor) : []),
	]);
}

type AllocationTarget = { from: SuspendedIn; payee: Payee; isSettled: boolean };

function allocationTo({ from, payee, isSettled }: AllocationTarget): Account {
	if (payee === "platform") return accounts.unapplied;
	if (from !== "card") return accounts.mobile;
	return isSettled ? accounts.available : accounts.pending;
}

/**
 * Corrects the fee of a card receipt: `differenceMinor` is the actual fee less what was posted. If the fee
 * was passed on, the tenant bears the difference: a lower fee lowers what is due as far as it goes
 * (`feesDueMinor`), and a payout has deducted the rest, which becomes available.
 */
export function trueUpFee({
	differenceMinor,
	channel,
	currency,
	isPassedOn,
	feesDueMinor,
}: {
	differenceMinor: bigint;
	channel: string;
	currency: string;
	isPassedOn: boolean;
	feesDueMinor: bigint;
}): Posting {
	const refundable = feesDueMinor < -differenceMinor ? feesDueMinor : -differenceMinor;
	const dueMinor = differenceMinor > 0n ? differenceMinor : -refundable;
	return makePosting("fee_trueup", currency, [
		debit(gatewayFeeOf(channel), differenceMinor),
		credit(accounts.cardUnsettled, differenceMinor),
		...(isPassedOn
			? [
					debit(accounts.feesDue, dueMinor),
					debit(accounts.available, differenceMinor - dueMinor),
					credit(accounts.feeRecovery, differenceMinor),
				]
			: []),
	]);
}

/**
 * Brings the mirror of a tenant's shortcode in line with what the gateway says: the tenant also spends and
 * receives outside. `differenceMinor` is the gateway's balance less the mirror's.
 */
export function adjustMirror({
	shortcode,
	differenceMinor,
	currency,
}: {
	shortcode: string;
	differenceMinor: bigint;
	currency: string;
}): Posting {
	return makePosting("external", currency, [
		debit(floatOf({ shortcode, owner: "tenant" }), differenceMinor),
		credit(accounts.mobile, differenceMinor),
	]);
}
