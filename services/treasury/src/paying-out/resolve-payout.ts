import { recordAudit } from "@lango/access";
import { inTenant } from "@lango/postgres";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { isOwnShortcode } from "../gateways/shortcodes/tenant-gateway.store.ts";
import { lockAvailable } from "../ledger/available.store.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../outcomes/evidence/payout-evidence.ts";
import { differenceOf } from "../outcomes/payouts/payout-outcome.ts";
import { payoutFailures } from "../payouts/failures.ts";
import { findPayout, lockPayout } from "../payouts/payout.store.ts";
import { isSent, type Payout } from "../payouts/payout.ts";
import { listApprovals, type PayoutApproval, recordApproval } from "../payouts/payout-approval.store.ts";
import { askGateway } from "../queries/ask-gateway.ts";
import { isAnsweredSince } from "../queries/query.store.ts";
import { verifyPayout } from "../recovery/verify-payout.ts";
import { proposedMs } from "../refunding/is-agreed.ts";
import type { Treasury } from "../treasury.ts";
import type { Decider } from "./decide-payout.ts";

type Resolving = {
	tenantId: string;
	payoutId: string;
	as: "paid" | "failed";
	because: string;
	by: Decider;
};

/**
 * Decides what became of a payout that needs a review. The gateway is asked first: what it says counts,
 * unless it says that another amount or currency was paid. Else the decision is recorded, and the same one of
 * a second person of the platform owner within 24 hours is applied. Throws `payout_not_found`,
 * `payout_not_waiting`, `payout_pending`, `verify_pending`, and what asking throws.
 */
export async function resolvePayout(domain: Treasury, resolving: Resolving): Promise<void> {
	const { db } = domain;
	const { tenantId, payoutId } = resolving;
	const payout = await inTenant(db, tenantId, (tx) => findPayout(tx, payoutId));
	if (payout === undefined) throw payoutFailures.payout_not_found();
	requireReview(payout);
	const said = payout.rail === "card_gateway" ? await verify(domain, payout) : await askAgain(domain, payout);
	if (said !== undefined) await apply(domain, resolving, said);
	if (said === undefined || differenceOf(payout, said) !== undefined) await decide(domain, resolving);
}

function requireReview({ status, needsReview }: Payout): void {
	if (!needsReview || !isSent(status)) throw payoutFailures.payout_not_waiting();
}

/** Returns what the gateway says of its end; undefined if it does not know it. Throws if it has not ended. */
async function verify(domain: Treasury, { reference }: Payout): Promise<PayoutSaid | undefined> {
	const said = await verifyPayout(domain, reference);
	if (said === undefined) throw gatewayFailures.gateway_unavailable();
	if (said === "missing") return undefined;
	if (said.kind === "in_flight" || said.kind === "needs_otp") throw payoutFailures.payout_pending();
	return said;
}

const freshMs = 60 * 60_000;

/**
 * The mobile-money gateway answers by a callback, which ends the payout if it says so. A decision needs a
 * question that was answered within the hour: else one is asked now, and the decision is refused. About a
 * shortcode that is not the tenant's any more the gateway cannot be asked.
 */
async function askAgain(domain: Treasury, payout: Payout): Promise<undefined> {
	const { db, now } = domain;
	const { tenantId, reference: originatorId, shortcode } = payout;
	const since = new Date(now().getTime() - freshMs);
	const mustAsk = await inTenant(
		db,
		tenantId,
		async (tx) =>
			(await isOwnShortcode(tx, shortcode)) && !(await isAnsweredSince(tx, { originatorId, since })),
	);
	if (!mustAsk) return undefined;
	await askGateway(domain, {
		...{ tenantId, shortcodeOf: tenantId, shortcode: shortcode ?? undefined },
		...{ about: { kind: "status", originatorId }, createdBy: { kind: "service", id: "payouts" } },
	});
	throw payoutFailures.verify_pending();
}

const apply = ({ db, now }: Treasury, resolving: Resolving, said: PayoutSaid): Promise<void> =>
	retryConflicts(() =>
		inTenant(db, resolving.tenantId, (tx) =>
			applyOutcome(tx, {
				...{ tenantId: resolving.tenantId, payoutId: resolving.payoutId, payout: said, at: now() },
				...{ source: "query" as const, sourceId: undefined },
			}),
		),
	);

const decisions = { paid: "resolve_paid", failed: "resolve_failed" } as const;
const resolvedCode = "resolved";

/**
 * Whether two people have said the same within 24 hours. Of each the latest word counts. The decisions are in
 * their order. Pure.
 */
function isAgreed(
	decided: readonly PayoutApproval[],
	{ decision, at }: Pick<PayoutApproval, "decision" | "at">,
): boolean {
	const words: readonly string[] = Object.values(decisions);
	const said = decided.filter((one) => words.includes(one.decision));
	const latest = new Map(said.map((one) => [one.by.id, one]));
	const since = at.getTime() - proposedMs;
	const agreeing = [...latest.values()].filter(
		(one) => one.decision === decision && one.at.getTime() >= since,
	);
	return agreeing.length >= 2;
}

function decide({ db, now }: Treasury, { tenantId, payoutId, as, because, by }: Resolving): Promise<void> {
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			const payout = await lockPayout(tx, payoutId);
			if (payout === undefined) throw payoutFailures.payout_not_found();
			requireReview(payout);
			const [at, decision] = [now(), decisions[as]];
			await recordApproval(tx, { tenantId, payoutId, by: by.actor, decision, because, at });
			const detail = { as, because };
			await recordAudit(tx, { tenantId, at, ...by, action: "payout.resolved", subject: payoutId, detail });
			if (!isAgreed(await listApprovals(tx, [payoutId]), { decision, at })) return;
			const payoutSaid: PayoutSaid =
				as === "paid" ? { kind: "paid" } : { kind: "failed", code: resolvedCode };
			await applyOutcome(tx, {
				...{ tenantId, payoutId, payout: payoutSaid, at },
				...{ source: "operator" as const, sourceId: by.actor.id },
			});
		}),
	);
}
