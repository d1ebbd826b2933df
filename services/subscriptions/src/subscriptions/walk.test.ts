import { Failure } from "@lango/chassis";
import type { Subscription } from "@lango/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Operation } from "../billing/operation.ts";
import { settleFailure, settlePayment } from "../billing/settle-payment.ts";
import type { HeldAddOn, HeldPlan } from "../catalogue/held-plan.ts";
import { changePlan } from "../quotes/change-plan.ts";
import { reckonChange } from "../quotes/reckon-change.ts";
import { cancel, grantDays, resume, withdrawPending } from "./cancel.ts";
import { nextDueAt, settleDue, stateKey } from "./due.ts";
import {
	type Change,
	daysAfter,
	type HeldSubscription,
	type Moment,
	openOperationOf,
	type PaidLine,
} from "./held-subscription.ts";
import { beginTrial, checkOut, selectPlan } from "./select-plan.ts";
import { snapshotAt, stateAt } from "./subscription.ts";

// A random walk through the life of a subscription, under a fake clock, beside a model that knows nothing but the diagram
// of states. fast-check prints the seed and the shortest walk when one fails.

const plan = (code: string, priceMinor: bigint, more: Partial<HeldPlan> = {}): HeldPlan => ({
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
	YEARLY: plan("YEARLY", 4_500_001n, { interval: "year" }),
};
const addOn = (code: string, priceMinor: bigint, limits: Record<string, number>): HeldAddOn => ({
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

type Step =
	| { do: "pass"; hours: number }
	| { do: "select" | "checkout"; plan: PlanCode }
	| { do: "change"; plan: PlanCode; addOns: number; mode: "now" | "period_end" }
	| { do: "pay" | "refuse"; which: number }
	| { do: "withdraw" | "cancel" | "resume" }
	| { do: "grant"; days: number };

const planCodes = fc.constantFrom<PlanCode>("STARTER", "GROWTH", "PROFESSIONAL", "YEARLY");
const steps: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({ do: fc.constant("pass"), hours: fc.integer({ min: 1, max: 24 * 40 }) }),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constantFrom("select", "checkout"), plan: planCodes }) },
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
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom("withdraw", "cancel", "resume") }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("grant"), days: fc.integer({ min: 1, max: 40 }) }) },
) as fc.Arbitrary<Step>;

/** What the diagram of states says, and no more. */
type Model = {
	state: "none" | "TRIAL" | "ACTIVE" | "PAST_DUE" | "GRACE" | "READ_ONLY";
	isCancelled: boolean;
};
const modelState: Readonly<Record<string, Model["state"]>> = {
	"TRIAL full": "TRIAL",
	"ACTIVE full": "ACTIVE",
	"PAST_DUE full": "PAST_DUE",
	"EXPIRED grace": "GRACE",
	"EXPIRED read_only": "READ_ONLY",
};
/** From where time alone leads where. */
const byTime: Readonly<Record<Model["state"], readonly Model["state"][]>> = {
	none: [],
	TRIAL: ["GRACE", "READ_ONLY"],
	ACTIVE: ["PAST_DUE", "GRACE", "READ_ONLY"],
	PAST_DUE: ["GRACE", "READ_ONLY"],
	GRACE: ["READ_ONLY"],
	READ_ONLY: [],
};
/** Whether a step is taken or refused, by the state it meets. */
const taken: Readonly<Record<Step["do"], (model: Model) => boolean | "perhaps">> = {
	pass: () => true,
	select: ({ state }) => state !== "ACTIVE" && state !== "PAST_DUE",
	checkout: ({ state }) => state !== "ACTIVE" && state !== "none",
	change: ({ state }) => (state === "ACTIVE" ? "perhaps" : false),
	pay: () => true,
	refuse: () => true,
	withdraw: ({ state }) => (state === "none" ? false : "perhaps"),
	cancel: ({ state, isCancelled }) => (state === "ACTIVE" || state === "PAST_DUE") && !isCancelled,
	resume: ({ state, isCancelled }) => state === "ACTIVE" && isCancelled,
	grant: ({ state }) => state !== "none",
};

type World = {
	held: HeldSubscription | undefined;
	now: Date;
	ids: number;
	operations: Map<string, Operation>;
	lines: Map<string, PaidLine>;
	paid: Set<string>;
	cashMinor: bigint;
};

const begun = (): World => ({
	held: undefined,
	now: new Date("2026-01-31T09:30:00Z"),
	ids: 0,
	operations: new Map(),
	lines: new Map(),
	paid: new Set(),
	cashMinor: 0n,
});

const momentOf = (world: World): Moment => ({
	now: world.now,
	mint: () => {
		world.ids += 1;
		return `id-${world.ids}`;
	},
});

/** As the service does it: what is due, the work, what is due then; and all of it is kept. */
function change(world: World, work: (held: HeldSubscription, moment: Moment) => Change): void {
	if (world.held === undefined) throw new Failure("not_found", "no_subscription", { message: "none" });
	const moment = momentOf(world);
	const due = settleDue(world.held, moment);
	const worked = work(due.held, moment);
	keep(world, settleDue(worked.held, moment).held);
}

function keep(world: World, held: HeldSubscription): void {
	for (const operation of held.operations) world.operations.set(operation.id, operation);
	for (const line of [...held.closedLines, ...(held.line === null ? [] : [held.line])])
		world.lines.set(line.id, line);
	const operations = held.operations.filter(({ status }) => status === "requested");
	world.held = { ...held, operations, closedLines: [], toldState: stateKey(stateAt(held, world.now)) };
}

const plain = (rule: (held: HeldSubscription, moment: Moment) => HeldSubscription) => (world: World) =>
	change(world, (held, moment) => ({ held: rule(held, moment), tells: [] }));

/** Answers one of the operations there ever were, the newest most often: late, twice, or as it should be. */
function pay(world: World, which: number): void {
	const operation = [...world.operations.values()].reverse()[which];
	if (operation === undefined || operation.amountMinor === 0n) return;
	const paymentId = `payment of ${operation.id}`;
	if (world.paid.has(paymentId)) return;
	world.paid.add(paymentId);
	world.cashMinor += operation.amountMinor;
	const { amountMinor, currency } = operation;
	change(world, (held, moment) => {
		const current = held.operations.find(({ id }) => id === operation.id) ?? operation;
		return {
			held: settlePayment(held, { operation: current, paymentId, amountMinor, currency }, moment),
			tells: [],
		};
	});
}

/** What each step does with the world. */
function take(world: World, step: Step): void {
	if (step.do === "pass") world.now = daysAfter(world.now, step.hours / 24);
	else if (step.do === "select") select(world, plans[step.plan]);
	else if (step.do === "checkout") change(world, (held, moment) => checkOut(held, plans[step.plan], moment));
	else if (step.do === "change") changeAsQuoted(world, step);
	else if (step.do === "pay") pay(world, step.which);
	else if (step.do === "refuse") refuse(world);
	else if (step.do === "grant") plain((held, moment) => grantDays(held, step.days, moment))(world);
	else plain({ withdraw: withdrawPending, cancel, resume }[step.do])(world);
}

function select(world: World, wanted: HeldPlan): void {
	if (world.held === undefined)
		keep(world, beginTrial({ tenantId: "t", plan: wanted, timeZone: "Africa/Nairobi" }, world.now));
	else plain((held, moment) => selectPlan(held, wanted, moment))(world);
}

/** A quote, and some minutes later the change: to the unit what was quoted. */
function changeAsQuoted(
	world: World,
	{ plan: code, addOns: chosen, mode }: Extract<Step, { do: "change" }>,
): void {
	change(world, (held, moment) => {
		// Each bit is an add-on; what is wanted beside the plan is all that is wanted.
		const choice = { plan: plans[code], addOns: addOns.filter((_, index) => (chosen & (1 << index)) !== 0) };
		const quoted = reckonChange(held, choice, moment.now);
		const later = { ...moment, now: daysAfter(moment.now, 0.005) };
		if (stateAt(held, later.now).status !== "ACTIVE") return { held, tells: [] };
		const done = changePlan(held, { ...choice, mode, quotedAt: moment.now }, later);
		if (done.operation !== undefined) expect(done.operation).toMatchObject(quoted.amount);
		return done;
	});
}

function refuse(world: World): void {
	const open = world.held && openOperationOf(world.held);
	if (open === undefined) return;
	plain((held, moment) => {
		const operation = held.operations.find(({ id }) => id === open.id) ?? open;
		return settleFailure(held, { operation, reason: "refused" }, moment);
	})(world);
}

const modelOf = ({ held, now }: World): Model => ({
	state: held === undefined ? "none" : (modelState[stateKey(stateAt(held, now))] ?? "none"),
	isCancelled: held?.cancelledAt !== null && held?.cancelledAt !== undefined,
});

function checkStep(world: World, step: Step): void {
	if (step.do === "pass") {
		const before = modelOf(world);
		const had = world.held && snapshotAt(world.held, world.now);
		take(world, step);
		const after = modelOf(world).state;
		if (had !== undefined) expectNoMore(had, world);
		expect([before.state, ...byTime[before.state]]).toContain(after);
		if (before.isCancelled) expect(after).not.toBe("PAST_DUE");
		return;
	}
	// Credit may pay what fell due: the work meets what it comes to then, as in the service.
	if (world.held !== undefined) change(world, (held) => ({ held, tells: [] }));
	const expected = taken[step.do](modelOf(world));
	const copy = {
		...world,
		operations: new Map(world.operations),
		lines: new Map(world.lines),
		paid: new Set(world.paid),
	};
	try {
		take(world, step);
		expect(expected, `${step.do} is taken in ${modelOf(copy).state}`).not.toBe(false);
		if (step.do === "pay") checkPaid(copy, world);
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		expect(expected, `${step.do} is refused with ${error.code} in ${modelOf(copy).state}`).not.toBe(true);
		Object.assign(world, copy);
	}
}

/** Time alone gives nobody more than they had: what comes is paid first. */
function expectNoMore(had: Subscription, { held, now }: World): void {
	const has = held && snapshotAt(held, now);
	expect(had.features).toEqual(expect.arrayContaining(has?.features ?? []));
	expect(had.products).toEqual(expect.arrayContaining(has?.products ?? []));
	for (const [limit, value] of Object.entries(has?.limits ?? {}))
		expect(value, limit).toBeLessThanOrEqual(had.limits[limit] ?? 0);
}

/** What was paid is had from then on, or is credit: nothing else becomes of a payment. */
function checkPaid(before: World, { held, operations, now, paid }: World): void {
	for (const { id, status, plan: bought } of operations.values()) {
		const paymentId = `payment of ${id}`;
		if (before.paid.has(paymentId) || !paid.has(paymentId)) continue;
		expect(["succeeded", "credited"], "what is paid is done or is credit").toContain(status);
		if (status !== "succeeded" || held === undefined) continue;
		expect([held.plan.code, stateAt(held, now).status], "what is paid is had").toEqual([
			bought.code,
			"ACTIVE",
		]);
	}
}

function checkMoney({ held, lines, cashMinor, operations }: World): void {
	if (held === undefined) return;
	const all = [...lines.values()];
	for (const line of all)
		expect(line.creditedMinor <= line.chargedMinor && line.creditedMinor >= 0n).toBe(true);
	expect(held.balanceMinor).toBeGreaterThanOrEqual(0n);
	const inUse = all.reduce((sum, { chargedMinor, creditedMinor }) => sum + chargedMinor - creditedMinor, 0n);
	expect(inUse + held.balanceMinor, "what was paid is in use or is credit").toBe(cashMinor);
	for (const { chargeMinor, creditMinor, balanceMinor, amountMinor, lines: of } of operations.values()) {
		expect(chargeMinor - creditMinor - balanceMinor).toBe(amountMinor);
		expect(of.reduce((sum, line) => sum + line.amountMinor, 0n)).toBe(amountMinor);
		expect(amountMinor).toBeGreaterThanOrEqual(0n);
	}
}

/** A job that is late gives nothing away, and takes nothing: what is read before it ran is what is read after. */
function checkDerived(world: World): void {
	const { held, now } = world;
	if (held === undefined) return;
	const settled = settleDue(held, momentOf({ ...world })).held;
	const isPaidByCredit = settled.balanceMinor !== held.balanceMinor;
	if (!isPaidByCredit) expect(snapshotAt(settled, now)).toEqual(snapshotAt(held, now));
	expect(nextDueAt(settled)?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now.getTime());
	expect(held.operations.filter(({ status }) => status === "requested").length).toBeLessThanOrEqual(1);
}

test("no walk leaves the diagram, loses money, makes money, or gives anything away", () => {
	const seen = new Set<string>();
	fc.assert(
		fc.property(fc.array(steps, { minLength: 5, maxLength: 60, size: "max" }), (walk) => {
			const world = begun();
			for (const step of walk) {
				checkStep(world, step);
				checkMoney(world);
				checkDerived(world);
				seen.add(modelOf(world).state);
				for (const { code } of world.held?.addOns ?? []) seen.add(`with ${code}`);
				for (const { kind, status } of world.operations.values()) seen.add(`${kind} ${status}`);
			}
		}),
		{ numRuns: 400 },
	);
	const outcomes = ["succeeded", "credited", "closed"];
	const everything = ["checkout", "change", "renewal"].flatMap((kind) =>
		outcomes.map((one) => `${kind} ${one}`),
	);
	expect([...seen], "the walks reach everything there is").toEqual(
		expect.arrayContaining([
			...everything,
			"with pos",
			"with riders",
			"TRIAL",
			"ACTIVE",
			"PAST_DUE",
			"GRACE",
			"READ_ONLY",
		]),
	);
}, 60_000);

test("a tenant has one trial in its life, however it goes about it", () => {
	fc.assert(
		fc.property(fc.array(steps, { minLength: 20, maxLength: 60, size: "max" }), (walk) => {
			const world = begun();
			let starts = new Set<number>();
			for (const step of walk) {
				checkStep(world, step);
				const { held } = world;
				if (held?.trialStartedAt) starts = starts.add(held.trialStartedAt.getTime());
			}
			expect(starts.size).toBeLessThanOrEqual(1);
		}),
		{ numRuns: 150 },
	);
}, 60_000);
