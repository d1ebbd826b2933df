import { Failure } from "@lango/chassis";
import type { Subscription } from "@lango/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { change, initial, momentOf, type Step, steps, take, type World } from "../../../test/walk-world.ts";
import { nextDueAt, settleDue, stateKey } from "./due.ts";
import { snapshotAt, stateAt } from "./state.ts";
import { balanceIn, openOperationOf } from "./subscription.ts";

// A random walk through the life of a subscription under a fake clock, beside a model of the state diagram.
// On a failure fast-check prints the seed and the shortest walk.

/** The transitions of the state diagram. */
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
/** The transitions by time alone. */
const byTime: Readonly<Record<Model["state"], readonly Model["state"][]>> = {
	none: [],
	TRIAL: ["GRACE", "READ_ONLY"],
	ACTIVE: ["PAST_DUE", "GRACE", "READ_ONLY"],
	PAST_DUE: ["GRACE", "READ_ONLY"],
	GRACE: ["READ_ONLY"],
	READ_ONLY: [],
};
/** Whether a step is accepted or refused in the current state. */
const taken: Readonly<Record<Step["do"], (model: Model) => boolean | "perhaps">> = {
	pass: () => true,
	select: ({ state }) => state !== "ACTIVE" && state !== "PAST_DUE",
	checkout: ({ state }) => state !== "ACTIVE" && state !== "none",
	change: ({ state }) => (state === "ACTIVE" ? "perhaps" : false),
	pay: () => true,
	refuse: () => true,
	bill: ({ state }) => state !== "none",
	pay_bill: ({ state }) => (state === "none" ? "perhaps" : true),
	withdraw: ({ state }) => (state === "none" ? false : "perhaps"),
	cancel: ({ state, isCancelled }) => (state === "ACTIVE" || state === "PAST_DUE") && !isCancelled,
	resume: ({ state, isCancelled }) => state === "ACTIVE" && isCancelled,
	grant: ({ state }) => state !== "none",
};

const modelOf = ({ subscription, now }: World): Model => ({
	state: subscription === undefined ? "none" : (modelState[stateKey(stateAt(subscription, now))] ?? "none"),
	isCancelled: subscription?.cancelledAt !== null && subscription?.cancelledAt !== undefined,
});

function checkStep(world: World, step: Step): void {
	if (step.do === "pass") {
		const before = modelOf(world);
		const had = world.subscription && snapshotAt(world.subscription, world.now);
		take(world, step);
		const after = modelOf(world).state;
		if (had !== undefined) expectNoMore(had, world);
		expect([before.state, ...byTime[before.state]]).toContain(after);
		if (before.isCancelled) expect(after).not.toBe("PAST_DUE");
		return;
	}
	// Credit may have paid what was due; the step then meets the state after it, as in the service.
	if (world.subscription !== undefined)
		change(world, (subscription) => ({ subscription, announcements: [] }));
	const expected = taken[step.do](modelOf(world));
	const copy = {
		...world,
		operations: new Map(world.operations),
		lines: new Map(world.lines),
		bills: new Map(world.bills),
		billed: new Set(world.billed),
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

/** Time alone never adds an entitlement: what a change adds is paid first. */
function expectNoMore(had: Subscription, { subscription, now }: World): void {
	const has = subscription && snapshotAt(subscription, now);
	expect(had.features).toEqual(expect.arrayContaining(has?.features ?? []));
	expect(had.products).toEqual(expect.arrayContaining(has?.products ?? []));
	for (const [limit, value] of Object.entries(has?.limits ?? {}))
		expect(value, limit).toBeLessThanOrEqual(had.limits[limit] ?? 0);
}

/** A payment is either in effect from then on or becomes credit. */
function checkPaid(before: World, { subscription, operations, now, paid }: World): void {
	for (const { id, kind, status, plan: bought } of operations.values()) {
		const paymentId = `payment of ${id}`;
		if (before.paid.has(paymentId) || !paid.has(paymentId)) continue;
		expect(["succeeded", "credited"], "a payment is in effect or becomes credit").toContain(status);
		if (status !== "succeeded" || subscription === undefined) continue;
		expect([subscription.plan.code, stateAt(subscription, now).status], "a payment is in effect").toEqual([
			bought.code,
			"ACTIVE",
		]);
		if (kind === "change")
			expect(subscription.cancelledAt, "a change does not undo a cancellation").toEqual(
				before.subscription?.cancelledAt,
			);
	}
}

function checkMoney({ subscription, lines, bills, cashMinor, operations }: World): void {
	if (subscription === undefined) return;
	const all = [...lines.values()];
	for (const line of all)
		expect(line.creditedMinor <= line.chargedMinor && line.creditedMinor >= 0n).toBe(true);
	expect(subscription.balanceMinor).toBeGreaterThanOrEqual(0n);
	const inUse = all.reduce((sum, { chargedMinor, creditedMinor }) => sum + chargedMinor - creditedMinor, 0n);
	let billed = 0n;
	for (const { status, chargeMinor, balanceMinor, amountMinor } of bills.values()) {
		expect(amountMinor + balanceMinor).toBe(chargeMinor);
		billed += balanceMinor + (status === "paid" ? amountMinor : 0n);
	}
	expect(inUse + billed + subscription.balanceMinor, "what was paid is in use, billed or credit").toBe(
		cashMinor,
	);
	const open = openOperationOf(subscription);
	if (open !== undefined)
		expect(open.balanceMinor, "a payment request counts on all the credit there is").toBe(
			balanceIn(subscription, open.currency),
		);
	for (const { chargeMinor, creditMinor, balanceMinor, amountMinor, lines: of } of operations.values()) {
		expect(chargeMinor - creditMinor - balanceMinor).toBe(amountMinor);
		expect(of.reduce((sum, line) => sum + line.amountMinor, 0n)).toBe(amountMinor);
		expect(amountMinor).toBeGreaterThanOrEqual(0n);
	}
}

/** A late job neither gives nor takes anything: reads before and after it agree. */
function checkDerived(world: World): void {
	const { subscription, now } = world;
	if (subscription === undefined) return;
	const settled = settleDue(subscription, momentOf({ ...world })).subscription;
	const isPaidByCredit = settled.balanceMinor !== subscription.balanceMinor;
	if (!isPaidByCredit) expect(snapshotAt(settled, now)).toEqual(snapshotAt(subscription, now));
	expect(nextDueAt(settled)?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now.getTime());
	expect(subscription.operations.filter(({ status }) => status === "requested").length).toBeLessThanOrEqual(
		1,
	);
}

/** The visible state of a world: its status and its money. */
function seenIn(world: World): string[] {
	return [
		modelOf(world).state,
		...(world.subscription?.addOns ?? []).map(({ code }) => `with ${code}`),
		...[...world.operations.values()].map(({ kind, status }) => `${kind} ${status}`),
		...[...world.bills.values()].map(
			({ status, balanceMinor }) => `${balanceMinor > 0n ? "bill with credit" : "bill"} ${status}`,
		),
	];
}

/** A renewal paid after granted days have closed it: the rarest state, which random walks can miss. */
const closedRenewal: Step[] = [
	{ do: "select", plan: "STARTER" },
	{ do: "checkout", plan: "STARTER", isBare: false },
	{ do: "pay", which: 0 },
	{ do: "pass", hours: 24 * 42 },
	{ do: "grant", days: 1 },
	{ do: "pay", which: 0 },
];

test("no walk leaves the state diagram, loses or creates money, or gives anything away", () => {
	const seen = new Set<string>();
	fc.assert(
		fc.property(fc.array(steps, { minLength: 5, maxLength: 60, size: "max" }), (walk) => {
			const world = initial();
			for (const step of walk) {
				checkStep(world, step);
				checkMoney(world);
				checkDerived(world);
				for (const one of seenIn(world)) seen.add(one);
			}
		}),
		{ numRuns: 400, examples: [[closedRenewal]] },
	);
	const outcomes = ["succeeded", "credited", "closed"];
	const everything = ["checkout", "change", "renewal"].flatMap((kind) =>
		outcomes.map((one) => `${kind} ${one}`),
	);
	expect([...seen], "the walks reach every state and every step").toEqual(
		expect.arrayContaining([
			...everything,
			"bill requested",
			"bill paid",
			"bill with credit requested",
			"bill with credit paid",
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

test("a tenant has one trial in its life, whatever it does", () => {
	fc.assert(
		fc.property(fc.array(steps, { minLength: 20, maxLength: 60, size: "max" }), (walk) => {
			const world = initial();
			let starts = new Set<number>();
			for (const step of walk) {
				checkStep(world, step);
				const { subscription } = world;
				if (subscription?.trialStartedAt) starts = starts.add(subscription.trialStartedAt.getTime());
			}
			expect(starts.size).toBeLessThanOrEqual(1);
		}),
		{ numRuns: 150 },
	);
}, 60_000);
