import { Failure } from "@lango/chassis";
import type { Subscription } from "@lango/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { change, initial, momentOf, type Step, steps, take, type World } from "../../../test/walk-world.ts";
import { nextDueAt, settleDue, stateKey } from "./due.ts";
import { snapshotAt, stateAt } from "./state.ts";
import { balanceIn, openOperationOf } from "./subscription.ts";

// A random walk through the life of a subscription, under a fake clock, beside a model that knows nothing but the diagram
// of states. fast-check prints the seed and the shortest walk when one fails.

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
	// Credit may pay what fell due: the work meets what it comes to then, as in the service.
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

/** Time alone gives nobody more than they had: what comes is paid first. */
function expectNoMore(had: Subscription, { subscription, now }: World): void {
	const has = subscription && snapshotAt(subscription, now);
	expect(had.features).toEqual(expect.arrayContaining(has?.features ?? []));
	expect(had.products).toEqual(expect.arrayContaining(has?.products ?? []));
	for (const [limit, value] of Object.entries(has?.limits ?? {}))
		expect(value, limit).toBeLessThanOrEqual(had.limits[limit] ?? 0);
}

/** What was paid is had from then on, or is credit: nothing else becomes of a payment. */
function checkPaid(before: World, { subscription, operations, now, paid }: World): void {
	for (const { id, kind, status, plan: bought } of operations.values()) {
		const paymentId = `payment of ${id}`;
		if (before.paid.has(paymentId) || !paid.has(paymentId)) continue;
		expect(["succeeded", "credited"], "what is paid is done or is credit").toContain(status);
		if (status !== "succeeded" || subscription === undefined) continue;
		expect([subscription.plan.code, stateAt(subscription, now).status], "what is paid is had").toEqual([
			bought.code,
			"ACTIVE",
		]);
		if (kind === "change")
			expect(subscription.cancelledAt, "a change takes no cancellation back").toEqual(
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
		expect(open.balanceMinor, "what is asked for counts on the credit there is, and on all of it").toBe(
			balanceIn(subscription, open.currency),
		);
	for (const { chargeMinor, creditMinor, balanceMinor, amountMinor, lines: of } of operations.values()) {
		expect(chargeMinor - creditMinor - balanceMinor).toBe(amountMinor);
		expect(of.reduce((sum, line) => sum + line.amountMinor, 0n)).toBe(amountMinor);
		expect(amountMinor).toBeGreaterThanOrEqual(0n);
	}
}

/** A job that is late gives nothing away, and takes nothing: what is read before it ran is what is read after. */
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

/** What there is to see of a world: where it is, and what became of its money. */
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

test("no walk leaves the diagram, loses money, makes money, or gives anything away", () => {
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
		{ numRuns: 400 },
	);
	const outcomes = ["succeeded", "credited", "closed"];
	const everything = ["checkout", "change", "renewal"].flatMap((kind) =>
		outcomes.map((one) => `${kind} ${one}`),
	);
	expect([...seen], "the walks reach everything there is").toEqual(
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

test("a tenant has one trial in its life, however it goes about it", () => {
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
