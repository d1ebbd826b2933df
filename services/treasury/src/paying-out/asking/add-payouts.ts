import { randomBytes } from "node:crypto";
import { type AuditEntry, recordAudit } from "@lango/access";
import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { findPayoutConfig, type PayoutConfig } from "../../gateways/shortcodes/payout-config.store.ts";
import { haltFailures } from "../../halts/failures.ts";
import { findHalt } from "../../halts/halt.store.ts";
import { LedgerOverdrawn } from "../../ledger/ledger-error.ts";
import { accounts } from "../../ledger/postings/account.ts";
import { smaller, toMinor } from "../../money/amount.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { payoutFailures } from "../../payouts/failures.ts";
import { type NewPayout, recordPayouts } from "../../payouts/payout.store.ts";
import { recordTargets } from "../../payouts/payout-target.store.ts";
import { listActive } from "../../recipients/recipient.store.ts";
import { ofItem } from "./of-item.ts";
import type { PayoutPlan, PayoutRules } from "./plan-payout.ts";
import { openPurse } from "./purse.ts";

/** The caller who asks for a payout. */
export type Asker = Pick<AuditEntry, "actor" | "requestId" | "address">;

/** Payouts that were planned, of one request. */
export type AddPayouts = {
	tenantId: string;
	plans: readonly PayoutPlan[];
	rules: PayoutRules;
	by: Asker;
	/** Of a bulk request; null: there is one payout. */
	batchId: string | null;
	idempotencyKey: string | null;
	fingerprint: Buffer;
	at: Date;
};

type Planned = { plan: PayoutPlan; payout: NewPayout };

/**
 * Adds payouts and holds what they take, all of them or none. Returns their ids, in the order of the plans.
 * The payouts of the tenant are locked. Throws `halted`, `recipient_missing`, `balance_insufficient`,
 * `payout_below_minimum` and `daily_limit_reached`; of a bulk request with the number of the item.
 */
export async function addPayouts(tx: Database, adding: AddPayouts): Promise<readonly string[]> {
	const { tenantId, by, at } = adding;
	if ((await findHalt(tx, "payouts")) !== undefined) throw haltFailures.halted();
	await requireRecipients(tx, adding);
	const config = await findPayoutConfig(tx);
	const planned = await plan(tx, adding, config);
	const payouts = planned.map(({ payout }) => payout);
	await recordPayouts(tx, { ...adding, createdBy: by.actor, createdAt: at, payouts });
	await recordTargets(tx, tenantId, planned.flatMap(targetOf));
	const about = { tenantId, source: "request", sourceId: by.actor.id, at } as const;
	const payoutIds = payouts.map(({ id }) => id);
	await applyOutcome(tx, { ...about, payoutIds, decided: "requested" }).catch((error) => {
		throw isInsufficient(error) ? payoutFailures.balance_insufficient({ cause: error }) : error;
	});
	const free = planned.filter((one) => !needsApproval(adding, config, one)).map(({ payout }) => payout.id);
	if (free.length > 0) await applyOutcome(tx, { ...about, payoutIds: free, decided: "approved" });
	await audit(tx, adding, payouts);
	return payoutIds;
}

/** A recipient may have been removed since the plan was made. */
async function requireRecipients(tx: Database, { plans, batchId }: AddPayouts): Promise<void> {
	const recipients = plans.map((one) => (one.rail === "card_gateway" ? one.recipientId : undefined));
	const active = await listActive(
		tx,
		recipients.filter((id) => id !== undefined),
	);
	for (const [item, id] of recipients.entries())
		await ofItem(batchId === null ? undefined : item, () => {
			if (id !== undefined && !active.has(id)) throw payoutFailures.recipient_missing();
		});
}

/** Ids are in the order of the plans. */
async function plan(
	tx: Database,
	{ plans, rules, batchId, at }: AddPayouts,
	config: PayoutConfig,
): Promise<readonly Planned[]> {
	const purse = openPurse(tx, { rules, config, at });
	const planned = [];
	for (const [item, one] of plans.entries()) {
		const amounts = await ofItem(batchId === null ? undefined : item, () => purse.take(one));
		const id = uuidV7(new Date(at.getTime() + item));
		planned.push({ plan: one, payout: { ...toPayout(one), ...amounts, id } });
	}
	return planned;
}

const toPayout = (plan: PayoutPlan) => ({
	...{ rail: plan.rail, toMasked: plan.toMasked, currency: plan.currency },
	reference: `out-${randomBytes(16).toString("hex")}`,
	...(plan.rail === "card_gateway"
		? {
				...{ kind: "recipient" as const, shortcode: null },
				...{ recipientId: plan.recipientId, recipientCode: plan.recipientCode },
			}
		: { kind: plan.kind, shortcode: plan.shortcode, recipientId: null, recipientCode: null }),
});

const targetOf = ({ plan, payout }: Planned) =>
	plan.rail === "mobile_money" ? [{ payoutId: payout.id, target: plan.target }] : [];

const isInsufficient = (error: unknown): boolean =>
	error instanceof LedgerOverdrawn && error.account === accounts.available.code;

/**
 * Every bulk and mobile-money payout, one to a new recipient, and one above the ceiling needs a second
 * person.
 */
function needsApproval(
	{ batchId, rules, at }: AddPayouts,
	{ approvalAboveMinor }: PayoutConfig,
	{ plan, payout: { grossMinor } }: Planned,
): boolean {
	if (plan.rail === "mobile_money" || batchId !== null) return true;
	if (at.getTime() - plan.recipientSince.getTime() < rules.coolDownMs) return true;
	const ceiling = approvalAboveMinor === undefined ? rules.approvalAboveMinor : BigInt(approvalAboveMinor);
	return grossMinor > smaller(ceiling, rules.approvalAboveMinor);
}

/** A bulk request has one entry: its payouts name it. */
async function audit(
	tx: Database,
	{ tenantId, by, at, batchId }: AddPayouts,
	payouts: readonly NewPayout[],
): Promise<void> {
	const [first] = payouts;
	if (first === undefined) return;
	const { rail, toMasked: to, currency } = first;
	const amount_minor = toMinor(payouts.reduce((sum, { grossMinor }) => sum + grossMinor, 0n));
	const entry =
		batchId === null
			? { action: "payout.requested", subject: first.id, detail: { rail, to, amount_minor, currency } }
			: { action: "payouts.requested", subject: batchId, detail: { count: payouts.length, amount_minor } };
	await recordAudit(tx, { tenantId, at, ...by, ...entry });
}
