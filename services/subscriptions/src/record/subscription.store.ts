import type { Database } from "@lango/postgres";
import type { FullSubscription, PaidLine } from "../rules/lifecycle/subscription.ts";
import type { Overrides } from "../rules/terms/terms.ts";
import {
	type AddOnVersionRow,
	addOnsWithTerms,
	type PlanVersionRow,
	planWithTerms,
	readAddOn,
	readPlan,
} from "./plan.store.ts";

/** Reads and locks a tenant's subscription until the end of the transaction; undefined if not found. */
export async function lockSubscription(
	tx: Database,
	{ tenantId }: { tenantId: string },
): Promise<Omit<FullSubscription, "operations"> | undefined> {
	const [locked] = await tx.query(lock, [tenantId]);
	return locked === undefined ? undefined : readSubscription(tx, { tenantId });
}

const lock = "select tenant_id from subscriptions where tenant_id = $1 for update";

/** SQL: the versions of the add-ons of the tenant $1. */
export const currentAddOns = `array(
	select so.add_on_version_id from subscription_add_ons so where so.tenant_id = $1)`;

/** Reads a tenant's subscription without a lock; undefined if not found. */
export async function readSubscription(
	tx: Database,
	{ tenantId }: { tenantId: string },
): Promise<Omit<FullSubscription, "operations"> | undefined> {
	const [row] = await tx.query<SubscriptionRow>(
		`select s.tenant_id, s.version, s.trial_started_at, s.trial_ends_at, s.period_started_at, s.period_ends_at,
		        s.expires_at, s.grace_until, s.pending_from, s.time_zone, s.anchor_at, s.period_number, s.cancelled_at,
		        s.renewals_asked, s.balance_minor, s.balance_currency, s.overrides, s.announced_state, s.trial_ending_announced,
		        ${planWithTerms("s.plan_version_id")} as plan,
		        ${planWithTerms("s.pending_plan_version_id")} as pending_plan,
		        l.id as line_id, l.operation_id as line_operation_id, l.plan_version_id as line_plan_version_id,
		        l.starts_at as line_starts_at, l.ends_at as line_ends_at,
		        l.charged_minor as line_charged_minor, l.credited_minor as line_credited_minor,
		        ${addOnsWithTerms(currentAddOns)} as add_ons,
		        exists (select from tenant_suspensions t where t.tenant_id = $1 and t.is_suspended) as is_suspended,
		        case when s.pending_add_on_version_ids is not null
		             then ${addOnsWithTerms("s.pending_add_on_version_ids")} end as pending_add_ons
		   from subscriptions s
		   left join paid_lines l on l.tenant_id = $1 and l.id = s.line_id
		  where s.tenant_id = $1`,
		[tenantId],
	);
	return row === undefined ? undefined : fromRow(row);
}

type SubscriptionRow = {
	tenant_id: string;
	version: number;
	trial_started_at: Date | null;
	trial_ends_at: Date | null;
	period_started_at: Date | null;
	period_ends_at: Date | null;
	expires_at: Date;
	grace_until: Date;
	pending_from: Date | null;
	time_zone: string;
	anchor_at: Date | null;
	period_number: number;
	cancelled_at: Date | null;
	renewals_asked: number;
	balance_minor: bigint;
	balance_currency: string | null;
	overrides: Overrides;
	announced_state: string | null;
	trial_ending_announced: boolean;
	is_suspended: boolean;
	plan: PlanVersionRow;
	pending_plan: PlanVersionRow | null;
	add_ons: AddOnVersionRow[];
	pending_add_ons: AddOnVersionRow[] | null;
} & LineRow;

type LineRow = {
	line_id: string | null;
	line_operation_id: string;
	line_plan_version_id: string;
	line_starts_at: Date;
	line_ends_at: Date;
	line_charged_minor: bigint;
	line_credited_minor: bigint;
};

function fromRow(row: SubscriptionRow): Omit<FullSubscription, "operations"> {
	return {
		tenantId: row.tenant_id,
		version: row.version,
		plan: readPlan(row.plan),
		pending: row.pending_plan && {
			plan: readPlan(row.pending_plan),
			addOns: row.pending_add_ons?.map(readAddOn) ?? null,
			from: row.pending_from,
		},
		addOns: row.add_ons.map(readAddOn),
		overrides: row.overrides,
		trialStartedAt: row.trial_started_at,
		trialEndsAt: row.trial_ends_at,
		periodStartedAt: row.period_started_at,
		periodEndsAt: row.period_ends_at,
		expiresAt: row.expires_at,
		graceUntil: row.grace_until,
		timeZone: row.time_zone,
		anchorAt: row.anchor_at,
		periodNumber: row.period_number,
		cancelledAt: row.cancelled_at,
		renewalAttempts: row.renewals_asked,
		balanceMinor: row.balance_minor,
		balanceCurrency: row.balance_currency,
		line: lineOf(row),
		closedLines: [],
		announcedState: row.announced_state,
		isTrialEndingAnnounced: row.trial_ending_announced,
		isSuspended: row.is_suspended,
	};
}

function lineOf(row: LineRow): PaidLine | null {
	if (row.line_id === null) return null;
	return {
		id: row.line_id,
		operationId: row.line_operation_id,
		planVersionId: row.line_plan_version_id,
		startsAt: row.line_starts_at,
		endsAt: row.line_ends_at,
		chargedMinor: row.line_charged_minor,
		creditedMinor: row.line_credited_minor,
	};
}

export type Writing = { subscription: FullSubscription; nextDueAt: Date | null };

/** Writes a first subscription; false if the tenant already has one. */
export async function addSubscription(tx: Database, writing: Writing): Promise<boolean> {
	const rows = await tx.query(
		`insert into subscriptions (
		   tenant_id, version, plan_version_id, pending_plan_version_id, pending_from, trial_started_at, trial_ends_at,
		   period_started_at, period_ends_at, expires_at, grace_until, time_zone, anchor_at, period_number, cancelled_at,
		   renewals_asked, balance_minor, balance_currency, overrides, line_id, announced_state, trial_ending_announced, next_due_at,
		   pending_add_on_version_ids)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
		 on conflict (tenant_id) do nothing
		 returning tenant_id`,
		toRow(writing),
	);
	return rows.length === 1;
}

/** Writes a subscription that this transaction has locked. */
export async function writeSubscription(tx: Database, writing: Writing): Promise<void> {
	await tx.query(
		`update subscriptions
		    set version = $2, plan_version_id = $3, pending_plan_version_id = $4, pending_from = $5, trial_started_at = $6,
		        trial_ends_at = $7, period_started_at = $8, period_ends_at = $9, expires_at = $10, grace_until = $11,
		        time_zone = $12, anchor_at = $13, period_number = $14, cancelled_at = $15, renewals_asked = $16,
		        balance_minor = $17, balance_currency = $18, overrides = $19, line_id = $20, announced_state = $21,
		        trial_ending_announced = $22, next_due_at = $23, pending_add_on_version_ids = $24, updated_at = now()
		  where tenant_id = $1`,
		toRow(writing),
	);
}

function toRow({ subscription, nextDueAt }: Writing): unknown[] {
	return [
		subscription.tenantId,
		subscription.version,
		subscription.plan.id,
		subscription.pending?.plan.id ?? null,
		subscription.pending?.from ?? null,
		subscription.trialStartedAt,
		subscription.trialEndsAt,
		subscription.periodStartedAt,
		subscription.periodEndsAt,
		subscription.expiresAt,
		subscription.graceUntil,
		subscription.timeZone,
		subscription.anchorAt,
		subscription.periodNumber,
		subscription.cancelledAt,
		subscription.renewalAttempts,
		subscription.balanceMinor,
		subscription.balanceCurrency,
		subscription.overrides,
		subscription.line?.id ?? null,
		subscription.announcedState,
		subscription.isTrialEndingAnnounced,
		nextDueAt,
		subscription.pending?.addOns?.map(({ id }) => id) ?? null,
	];
}

/** Writes the add-ons of a subscription that this transaction has locked. */
export async function writeAddOns(tx: Database, { tenantId, addOns }: FullSubscription): Promise<void> {
	const ids = addOns.map(({ id }) => id);
	await tx.query(
		"delete from subscription_add_ons where tenant_id = $1 and add_on_version_id <> all ($2::uuid[])",
		[tenantId, ids],
	);
	await tx.query(
		`insert into subscription_add_ons (tenant_id, add_on_version_id) select $1, unnest($2::uuid[])
		 on conflict (tenant_id, add_on_version_id) do nothing`,
		[tenantId, ids],
	);
}

/** Writes a charged line, or the credit given for it since. */
export async function writeLine(
	tx: Database,
	{ tenantId, line }: { tenantId: string; line: PaidLine },
): Promise<void> {
	await tx.query(
		`insert into paid_lines (id, tenant_id, operation_id, plan_version_id, starts_at, ends_at, charged_minor, credited_minor)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)
		 on conflict (tenant_id, id) do update set credited_minor = excluded.credited_minor
		  where paid_lines.credited_minor <> excluded.credited_minor`,
		[
			line.id,
			tenantId,
			line.operationId,
			line.planVersionId,
			line.startsAt,
			line.endsAt,
			line.chargedMinor,
			line.creditedMinor,
		],
	);
}
