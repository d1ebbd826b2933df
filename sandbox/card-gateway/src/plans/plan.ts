import { invalidParameter } from "../answers/refusal.ts";
import { domain, type Gateway, integration } from "../gateway.ts";
import { codeOf } from "../records/codes.ts";
import type { Plan, Transaction } from "../records/tables.ts";

/** How a time moves by one interval of a plan. */
const steps: Readonly<Record<string, { days?: number; months?: number }>> = {
	daily: { days: 1 },
	weekly: { days: 7 },
	monthly: { months: 1 },
	quarterly: { months: 3 },
	biannually: { months: 6 },
	annually: { months: 12 },
};

/** The time one interval later. The 31st becomes the last day of a shorter month. */
export function nextPeriod(at: Date, interval: string): Date {
	const { days = 0, months = 0 } = steps[interval] ?? {};
	const next = new Date(at.getTime() + days * 86_400_000);
	if (months === 0) return next;
	const day = next.getUTCDate();
	next.setUTCDate(1);
	next.setUTCMonth(next.getUTCMonth() + months);
	const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate();
	next.setUTCDate(Math.min(day, lastDay));
	return next;
}

/** When a plan charges, as a schedule of cron; for people, the gateway plans by `nextPeriod`. */
export function cronOf(at: Date, interval: string): string {
	const day = at.getUTCDate();
	const crons: Readonly<Record<string, string>> = {
		daily: "0 0 * * *",
		weekly: `0 0 * * ${at.getUTCDay()}`,
		monthly: `0 0 ${day} * *`,
		quarterly: `0 0 ${day} */3 *`,
		biannually: `0 0 ${day} */6 *`,
	};
	return crons[interval] ?? `0 0 ${day} ${at.getUTCMonth() + 1} *`;
}

type NewPlan = {
	name: string;
	interval: string;
	amount: number;
	currency: string;
	description?: string | undefined;
};

/** Adds a plan. */
export function createPlan({ store, ids, now }: Gateway, plan: NewPlan): Plan {
	if (steps[plan.interval] === undefined)
		throw invalidParameter("Interval is invalid", `Use one of ${Object.keys(steps).join(", ")}`);
	return store.add("plans", (ordinal) => ({
		ordinal,
		id: 67_000 + ordinal,
		code: `PLN_${codeOf(ids, { purpose: "plan", ordinal })}`,
		...plan,
		description: plan.description ?? null,
		createdAt: now().toISOString(),
	}));
}

/** The plan by which a transaction was charged. */
export function planOf({ store }: Gateway, { subscriptionCode }: Transaction): Plan | undefined {
	if (subscriptionCode === null) return undefined;
	return store.get("plans", "id", store.get("subscriptions", "code", subscriptionCode).planId);
}

/** The answer of `POST /plan`. */
export const toPlan = (plan: Plan) => ({
	name: plan.name,
	amount: plan.amount,
	interval: plan.interval,
	integration,
	domain,
	plan_code: plan.code,
	send_invoices: true,
	send_sms: true,
	hosted_page: false,
	invoice_limit: 0,
	migrate: false,
	is_archived: false,
	currency: plan.currency,
	id: plan.id,
	createdAt: plan.createdAt,
	updatedAt: plan.createdAt,
});

/** A plan within transactions and subscriptions. */
export const toPlanObject = (plan: Plan) => ({
	id: plan.id,
	name: plan.name,
	plan_code: plan.code,
	description: plan.description,
	amount: plan.amount,
	interval: plan.interval,
	send_invoices: true,
	send_sms: true,
	currency: plan.currency,
});
