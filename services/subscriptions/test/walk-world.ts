import { Failure } from "@lango/chassis";
import fc from "fast-check";
import { expect } from "vitest";
import { cancel, grantDays, resume, withdrawPending } from "../src/rules/changes/cancel.ts";
import { changePlan } from "../src/rules/changes/change-plan.ts";
import { checkOut } from "../src/rules/changes/checkout.ts";
import { priceChange } from "../src/rules/changes/price-change.ts";
import { beginTrial, selectPlan } from "../src/rules/changes/select-plan.ts";
import { settleDue, stateKey } from "../src/rules/lifecycle/due.ts";
import {
	draftBills,
	type OverageBill,
	overageClosedAt,
	paidBill,
} from "../src/rules/lifecycle/overage-bill.ts";
import { credit, settleFailure, settlePayment } from "../src/rules/lifecycle/settle-payment.ts";
import { stateAt } from "../src/rules/lifecycle/state.ts";
import {
	type Change,
	daysAfter,
	type FullSubscription,
	type Moment,
	openOperationOf,
	type PaidLine,
} from "../src/rules/lifecycle/subscription.ts";
import type { Operation } from "../src/rules/money/operation.ts";
import type { AddOnVersion, PlanVersion } from "../src/rules/terms/plan.ts";

// The world of a random walk: a subscription under a fake clock, with the history of its money.

const plan = (code: string, priceMinor: bigint, more: Partial<PlanVersion> = {}): PlanVersion => ({
	id: `${code}-1`,
	code,
	version: 1,
	products: ["ordering"],
	features: code === "STARTER" ? [] : ["multi_outlet"],
	limits: { max_riders: code === "STARTER" ? 0 : 15 },
	priceMinor,
	currency: "KES",
	interval: "month",
	trialDays: 14,
	graceDays: 7,
	...more,
});
const plans = {
	STARTER: plan("STARTER", 150_000n),
	GROWTH: plan("GROWTH", 450_000n),
	PROFESSIONAL: plan("PROFESSIONAL", 1_200_000n),
	YEARLY: plan("YEARLY", 4_500_001n, { interval: "year", trialDays: 30, graceDays: 0 }),
};
const addOn = (code: string, priceMinor: bigint, limits: Record<string, number>): AddOnVersion => ({
	id: `${code}-1`,
	code,
	version: 1,
	products: code === "pos" ? ["pos"] : [],
	features: [],
	limits,
	priceMinor,
	currency: "KES",
	interval: "month",
});
const addOns = [addOn("pos", 100_003n, {}), addOn("riders", 33_333n, { max_riders: 5 })];
type PlanCode = keyof typeof plans;

/** The steps of a tenant, the treasury, the platform and time. */
export type Step =
	| { do: "pass"; hours: number }
	| { do: "select"; plan: PlanCode }
	| { do: "checkout"; plan: PlanCode; isBare: boolean }
	| { do: "change"; plan: PlanCode; addOns: number; mode: "now" | "period_end" }
	| { do: "pay" | "refuse" | "pay_bill"; which: number }
	| { do: "bill"; minor: number }
	| { do: "withdraw" | "cancel" | "resume" }
	| { do: "grant"; days: number };

const planCodes = fc.constantFrom<PlanCode>("STARTER", "GROWTH", "PROFESSIONAL", "YEARLY");
/** Any step; frequent ones are more likely. */
export const steps: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({ do: fc.constant("pass"), hours: fc.integer({ min: 1, max: 24 * 40 }) }),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constantFrom("select", "checkout"),
			plan: planCodes,
			isBare: fc.boolean(),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("change"),
			plan: planCodes,
			addOns: fc.nat(3),
			mode: fc.constantFrom("now", "period_end"),
		}),
	},
	{ weight: 6, arbitrary: fc.record({ do: fc.constantFrom("pay", "refuse"), which: fc.nat(3) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("bill"), minor: fc.nat(900_000) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("pay_bill"), which: fc.nat(3) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom("withdraw", "cancel", "resume") }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("grant"), days: fc.integer({ min: 1, max: 40 }) }) },
) as fc.Arbitrary<Step>;

/** A subscription, the time, and everything requested, charged, billed and paid. */
export type World = {
	subscription: FullSubscription | undefined;
	now: Date;
	ids: number;
	operations: Map<string, Operation>;
	lines: Map<string, PaidLine>;
	bills: Map<string, OverageBill>;
	/** The ends of periods whose overage was billed. */
	billed: Set<number>;
	paid: Set<string>;
	cashMinor: bigint;
};

/** Before a plan was selected. */
export const initial = (): World => ({
	subscription: undefined,
	now: new Date("2026-01-31T09:30:00Z"),
	ids: 0,
	operations: new Map(),
	lines: new Map(),
	bills: new Map(),
	billed: new Set(),
	paid: new Set(),
	cashMinor: 0n,
});

/** What rules receive. */
export const momentOf = (world: World): Moment => ({
	now: world.now,
	mint: () => {
		world.ids += 1;
		return `id-${world.ids}`;
	},
});

/** Applies due steps, the work, and due steps again, as the service does, and records everything. */
export function change(world: World, work: (subscription: FullSubscription, moment: Moment) => Change): void {
	if (world.subscription === undefined)
		throw new Failure("not_found", "no_subscription", { message: "none" });
	const moment = momentOf(world);
	const due = settleDue(world.subscription, moment);
	const worked = work(due.subscription, moment);
	keep(world, settleDue(worked.subscription, moment).subscription);
}

function keep(world: World, subscription: FullSubscription): void {
	for (const operation of subscription.operations) world.operations.set(operation.id, operation);
	for (const line of [
		...subscription.closedLines,
		...(subscription.line === null ? [] : [subscription.line]),
	])
		world.lines.set(line.id, line);
	const operations = subscription.operations.filter(({ status }) => status === "requested");
	world.subscription = {
		...subscription,
		operations,
		closedLines: [],
		announcedState: stateKey(stateAt(subscription, world.now)),
	};
}

const plain =
	(rule: (subscription: FullSubscription, moment: Moment) => FullSubscription) => (world: World) =>
		change(world, (subscription, moment) => ({
			subscription: rule(subscription, moment),
			announcements: [],
		}));

/** Answers one of the operations so far, mostly the newest: late, twice, or in order. */
function pay(world: World, which: number): void {
	const operation = [...world.operations.values()].reverse()[which];
	if (operation === undefined || operation.amountMinor === 0n) return;
	const paymentId = `payment of ${operation.id}`;
	if (world.paid.has(paymentId)) return;
	world.paid.add(paymentId);
	world.cashMinor += operation.amountMinor;
	const { amountMinor, currency } = operation;
	const isOpen = world.subscription !== undefined && openOperationOf(world.subscription)?.id === operation.id;
	change(world, (subscription, moment) => {
		const current = subscription.operations.find(({ id }) => id === operation.id) ?? operation;
		return {
			subscription: settlePayment(
				subscription,
				{ operation: current, paymentId, amountMinor, currency },
				moment,
			),
			announcements: [],
		};
	});
	if (isOpen)
		expect(world.operations.get(operation.id)?.status, "a requested and paid operation is completed").toBe(
			"succeeded",
		);
}

/** The job's work for a period that ended with overage. */
function bill(world: World, minor: number): void {
	change(world, (subscription, { now, mint }) => {
		const periodEndsAt = overageClosedAt(subscription, now);
		if (periodEndsAt === null || world.billed.has(periodEndsAt.getTime()))
			return { subscription, announcements: [] };
		world.billed.add(periodEndsAt.getTime());
		const price = { unitPriceMinor: 1n, amountMinor: BigInt(minor), currency: "KES" };
		const lines = minor === 0 ? [] : [{ metric: "order_count", units: BigInt(minor), ...price }];
		const drafted = draftBills(subscription, { lines, periodEndsAt, now, mint });
		for (const one of drafted.bills) world.bills.set(one.id, one);
		return { subscription: drafted.subscription, announcements: [] };
	});
}

/** Pays one of the bills: in time, late, or twice. */
function payBill(world: World, which: number): void {
	const found = [...world.bills.values()].reverse()[which];
	if (found === undefined || found.amountMinor === 0n) return;
	const { amountMinor, currency } = found;
	world.cashMinor += amountMinor;
	change(world, (subscription, { now }) => {
		const paid = paidBill(found, { paymentId: `payment of ${found.id}`, amountMinor, currency }, now);
		if (paid === undefined)
			return { subscription: credit(subscription, amountMinor, currency), announcements: [] };
		world.bills.set(found.id, paid);
		return { subscription, announcements: [] };
	});
}

/** The effect of each step on the world. */
export function take(world: World, step: Step): void {
	if (step.do === "pass") world.now = daysAfter(world.now, step.hours / 24);
	else if (step.do === "select") select(world, plans[step.plan]);
	else if (step.do === "checkout")
		change(world, (subscription, moment) =>
			checkOut(
				subscription,
				{ plan: plans[step.plan], addOns: step.isBare ? [] : subscription.addOns },
				moment,
			),
		);
	else if (step.do === "change") changeAsQuoted(world, step);
	else if (step.do === "pay") pay(world, step.which);
	else if (step.do === "refuse") refuse(world, step.which);
	else if (step.do === "bill") bill(world, step.minor);
	else if (step.do === "pay_bill") payBill(world, step.which);
	else if (step.do === "grant")
		plain((subscription, moment) => grantDays(subscription, step.days, moment))(world);
	else plain({ withdraw: withdrawPending, cancel, resume }[step.do])(world);
}

function select(world: World, wanted: PlanVersion): void {
	if (world.subscription === undefined)
		keep(world, beginTrial({ tenantId: "t", plan: wanted, timeZone: "Africa/Nairobi" }, world.now));
	else plain((subscription, moment) => selectPlan(subscription, wanted, moment))(world);
}

/** Quotes a change and makes it some minutes later at the quoted price. */
function changeAsQuoted(
	world: World,
	{ plan: code, addOns: chosen, mode }: Extract<Step, { do: "change" }>,
): void {
	change(world, (subscription, moment) => {
		// Each bit is an add-on; the list of add-ons is complete.
		const choice = { plan: plans[code], addOns: addOns.filter((_, index) => (chosen & (1 << index)) !== 0) };
		const quoted = priceChange(subscription, choice, moment.now);
		const later = { ...moment, now: daysAfter(moment.now, 0.005) };
		if (stateAt(subscription, later.now).status !== "ACTIVE") return { subscription, announcements: [] };
		const done = changePlan(subscription, { ...choice, mode, quotedAt: moment.now }, later);
		if (done.operation !== undefined) expect(done.operation).toMatchObject(quoted.amount);
		return done;
	});
}

/** Fails the last attempt, or the one before, which is ignored. */
function refuse(world: World, which: number): void {
	const open = world.subscription && openOperationOf(world.subscription);
	if (open === undefined) return;
	const attempt = open.attempt - (which % 2);
	const before = world.subscription;
	plain((subscription, moment) => {
		const operation = subscription.operations.find(({ id }) => id === open.id) ?? open;
		return settleFailure(subscription, { operation, attempt, reason: "refused" }, moment);
	})(world);
	if (attempt < open.attempt) expect(world.subscription?.operations).toEqual(before?.operations);
}
