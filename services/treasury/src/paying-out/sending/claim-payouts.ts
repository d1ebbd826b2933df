import { type Database, inTenant } from "@lango/postgres";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { getCardProfile } from "../../gateways/profiles/profile.store.ts";
import { lockAvailable } from "../../ledger/available.store.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { toMinor } from "../../money/amount.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { PayoutEvidence } from "../../outcomes/evidence/payout-evidence.ts";
import { lockPayout, sumSent } from "../../payouts/payout.store.ts";
import { type Payout, transferFeeOf } from "../../payouts/payout.ts";
import { lockBatch, recordBatchSent } from "../../payouts/payout-batch.store.ts";
import { findPayer } from "../../prompts/payer.store.ts";
import { findRecipient } from "../../recipients/recipient.store.ts";
import type { Treasury } from "../../treasury.ts";
import { findObstacle, type Obstacle } from "./obstacle.ts";

type Claiming = {
	/** What the transfer balance holds in the currency of the payout. */
	balanceMinor?: bigint;
	/** What else is done in the transaction, if something is claimed. */
	prepare?: (tx: Database) => Promise<void>;
};

/**
 * Records a payout, and others of its bulk request as far as the balance covers their sum, as `submitting`:
 * from then on they are sent by the caller alone. Returns none if the payout does not wait to be sent any
 * more, and an obstacle if it has to wait, also for another day.
 */
export const claimPayouts = (
	domain: Treasury,
	{ tenantId, id }: Payout,
	claiming: Claiming,
): Promise<readonly Payout[] | Obstacle> =>
	retryConflicts(() =>
		inTenant(domain.db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			const payout = await lockPayout(tx, id);
			return payout?.status === "approved" ? claim(tx, payout, { ...claiming, at: domain.now() }) : [];
		}),
	);

async function claim(
	tx: Database,
	payout: Payout,
	{ balanceMinor, prepare, at }: Claiming & { at: Date },
): Promise<readonly Payout[] | Obstacle> {
	const found = (await findObstacle(tx, payout, at)) ?? (await choose(tx, payout, { balanceMinor, at }));
	if (typeof found === "string" || found.length === 0) return found;
	for (const one of found) await say(tx, one, { payout: { kind: "submitted" }, at });
	if (payout.batchId !== null) await recordBatchSent(tx, payout.batchId, at);
	await prepare?.(tx);
	return found;
}

/** Returns what is sent at once: as much as the limit of the day allows and the balance covers. */
async function choose(
	tx: Database,
	payout: Payout,
	{ balanceMinor, at }: { balanceMinor: bigint | undefined; at: Date },
): Promise<readonly Payout[] | Obstacle> {
	const due = await refuseRemoved(tx, await lockWithBatch(tx, payout), at);
	if (due.length === 0) return due;
	const allowed = await takeAllowed(tx, due, { currency: payout.currency, at });
	const [first] = allowed;
	if (first === undefined) return "stopped";
	if (balanceMinor === undefined) return allowed;
	const covered = takeCovered(allowed, balanceMinor);
	if (covered.length > 0) return covered;
	await raiseBalance(tx, first, { balanceMinor, now: at });
	return "stopped";
}

/** From a shortcode each payout is a request of its own. */
const lockWithBatch = async (tx: Database, payout: Payout): Promise<readonly Payout[]> =>
	payout.batchId === null || payout.rail === "mobile_money"
		? [payout]
		: lockBatch(tx, { payout, batchId: payout.batchId });

/** What was to go to a recipient that was removed is not sent, and fails. Returns the others. */
async function refuseRemoved(tx: Database, payouts: readonly Payout[], at: Date): Promise<readonly Payout[]> {
	const kept = [];
	for (const payout of payouts) {
		const { rail, recipientId } = payout;
		const isKept =
			rail === "mobile_money" || (recipientId !== null && (await findRecipient(tx, recipientId)));
		if (isKept) kept.push(payout);
		else await say(tx, payout, { payout: { kind: "failed", code: "recipient_removed" }, at });
	}
	return kept;
}

const say = (
	tx: Database,
	{ tenantId, id: payoutId }: Payout,
	said: Pick<PayoutEvidence, "payout" | "at">,
): Promise<void> => applyOutcome(tx, { tenantId, payoutId, source: "request", sourceId: undefined, ...said });

/**
 * Returns those of the payouts that the limit of the day allows: they may have been asked for on another
 * day. The others wait.
 */
async function takeAllowed(
	tx: Database,
	payouts: readonly Payout[],
	{ currency, at }: { currency: string; at: Date },
): Promise<readonly Payout[]> {
	const { settings } = await getCardProfile(tx);
	const { timeZone } = await findPayer(tx);
	const leftMinor = BigInt(settings.daily_payout_minor) - (await sumSent(tx, { at, timeZone, currency }));
	// What stays in the own shortcode is not paid out.
	return takeWithin(payouts, leftMinor, ({ kind, grossMinor }) => (kind === "own_working" ? 0n : grossMinor));
}

const costOf = (payout: Payout): bigint => payout.netMinor + transferFeeOf(payout);

/** Returns those of the payouts that a balance covers together. Pure. */
export const takeCovered = (payouts: readonly Payout[], balanceMinor: bigint): readonly Payout[] =>
	takeWithin(payouts, balanceMinor, costOf);

function takeWithin(
	payouts: readonly Payout[],
	amountMinor: bigint,
	costOfOne: (payout: Payout) => bigint,
): readonly Payout[] {
	let left = amountMinor;
	return payouts.filter((payout) => {
		const cost = costOfOne(payout);
		if (cost > 0n && cost > left) return false;
		left -= cost;
		return true;
	});
}

/** The transfer balance does not cover a payout: the platform owner has to top it up. */
async function raiseBalance(
	tx: Database,
	payout: Payout,
	{ balanceMinor, now }: { balanceMinor: bigint; now: Date },
): Promise<void> {
	const { currency, reference: subject, tenantId, id } = payout;
	const amountMinor = costOf(payout);
	await raiseException(tx, {
		...{ class: "balance", subject, amountMinor, currency, now, isRepeatable: true },
		ours: { tenant_id: tenantId, payout_id: id, amount_minor: toMinor(amountMinor), currency },
		theirs: { balance_minor: toMinor(balanceMinor) },
	});
}
