import { type AuditEntry, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { lockAvailable } from "../ledger/available.store.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../outcomes/evidence/payout-evidence.ts";
import { payoutFailures } from "../payouts/failures.ts";
import { findPayout, lockPayout } from "../payouts/payout.store.ts";
import type { Payout, PayoutStatus } from "../payouts/payout.ts";
import { recordApproval } from "../payouts/payout-approval.store.ts";
import type { Treasury } from "../treasury.ts";
import { findMakers } from "./maker.store.ts";

/** The person who decides, as the audit log stores it. */
export type Decider = Pick<AuditEntry, "actor" | "requestId" | "address">;

type Deciding = { tenantId: string; payoutId: string; by: Decider };

/**
 * Approves a payout that waits for it. Another person than its maker has to, superusers included, also if
 * it was made with an API key. Throws `payout_not_found`, `payout_not_waiting`, `approver_not_a_person`,
 * `approver_is_creator` and `creator_unknown`.
 */
export async function approvePayout(domain: Treasury, deciding: Deciding): Promise<void> {
	const makers = await makersOf(domain, deciding);
	await decide(domain, deciding, async (tx, payout, at) => {
		const { tenantId, payoutId, by } = deciding;
		requireStatus(payout, ["awaiting_approval"]);
		requireChecker(makers, by);
		await recordApproval(tx, { tenantId, payoutId, by: by.actor, decision: "approved", because: null, at });
		return { said: { kind: "approved" }, action: "payout.approved" };
	});
}

async function makersOf(
	{ db }: Treasury,
	{ tenantId, payoutId }: Deciding,
): Promise<readonly string[] | undefined> {
	const payout = await inTenant(db, tenantId, (tx) => findPayout(tx, payoutId));
	if (payout === undefined) throw payoutFailures.payout_not_found();
	return findMakers(db, payout.createdBy);
}

/** Rejects a payout before it is sent. Throws as `approvePayout`, but its maker may reject it. */
export const rejectPayout = (
	domain: Treasury,
	{ because, ...deciding }: Deciding & { because: string },
): Promise<void> =>
	decide(domain, deciding, async (tx, payout, at) => {
		const { tenantId, payoutId, by } = deciding;
		requireStatus(payout, beforeSending);
		requirePerson(by);
		await recordApproval(tx, { tenantId, payoutId, by: by.actor, decision: "rejected", because, at });
		return { said: { kind: "rejected", because }, action: "payout.rejected" };
	});

/** Cancels a payout before it is sent. Throws `payout_not_found` and `payout_not_waiting`. */
export const cancelPayout = (domain: Treasury, deciding: Deciding): Promise<void> =>
	decide(domain, deciding, async (_, payout) => {
		requireStatus(payout, beforeSending);
		return { said: { kind: "cancelled" }, action: "payout.cancelled" };
	});

const beforeSending: readonly PayoutStatus[] = ["awaiting_approval", "approved"];

type Decision = { said: PayoutSaid; action: string };

function decide(
	{ db, now }: Treasury,
	{ tenantId, payoutId, by }: Deciding,
	judge: (tx: Database, payout: Payout, at: Date) => Promise<Decision>,
): Promise<void> {
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			const payout = await lockPayout(tx, payoutId);
			if (payout === undefined) throw payoutFailures.payout_not_found();
			const at = now();
			const { said, action } = await judge(tx, payout, at);
			const about = { tenantId, payoutId, source: "request", sourceId: by.actor.id, at } as const;
			await applyOutcome(tx, { ...about, payout: said });
			const detail = { reference: payout.reference };
			await recordAudit(tx, { tenantId, at, ...by, action, subject: payoutId, detail });
		}),
	);
}

function requireStatus({ status }: Payout, allowed: readonly PayoutStatus[]): void {
	if (!allowed.includes(status)) throw payoutFailures.payout_not_waiting();
}

function requirePerson({ actor }: Decider): void {
	if (actor.kind !== "user") throw payoutFailures.approver_not_a_person();
}

/** Whether a person may approve what others made. Throws as `approvePayout`. */
export function requireChecker(makers: readonly string[] | undefined, by: Decider): void {
	requirePerson(by);
	if (makers === undefined) throw payoutFailures.creator_unknown();
	if (makers.includes(by.actor.id)) throw payoutFailures.approver_is_creator();
}
