import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { allocateToIntent } from "../../src/collected/allocate-to-intent.ts";
import type { RefundSaid } from "../../src/outcomes/evidence/refund-evidence.ts";
import { listRefundsOf, type StoredRefund } from "../../src/refunds/refund.store.ts";
import { refundRanks } from "../../src/refunds/refund.ts";
import { findViolations } from "../ledger/invariants.ts";
import { addTrade } from "../receive.ts";
import { openCounter } from "./counter.ts";
import { type CardMoney, openCardMoney } from "./returning.ts";
import { findBroken } from "./state.ts";

const counter = setUp(openCounter);

const amount = fc.constantFrom(30_000n, 50_000n, 100_000n);
const said = fc.constantFrom<RefundSaid>(
	...([{ kind: "submitting" }, { kind: "unknown", because: "reset" }, { kind: "pending" }] as const),
	...([{ kind: "processing" }, { kind: "needs_attention" }, { kind: "processed" }] as const),
	...([
		{ kind: "failed", code: "failed" },
		{ kind: "not_sent", code: "busy" },
	] as const),
);
type Step = (money: CardMoney) => Promise<unknown>;
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.tuple(amount, fc.boolean()).map(
		([minor, isOperator]): Step =>
			(to) =>
				to.refund(minor, isOperator),
	),
	fc.tuple(fc.nat(5), said).map(
		([which, one]): Step =>
			(to) =>
				to.say(which, one),
	),
	fc.tuple(fc.constantFrom("1", "2"), fc.constantFrom("open", "reminded", "won", "lost"), amount).map(
		([id, status, amountMinor]): Step =>
			(to) =>
				to.dispute(id, { status, amountMinor }),
	),
	fc.constantFrom<Step>(
		(to) => to.release(),
		(to) => to.payOut(),
	),
);

const listed = ({ receipt }: CardMoney) =>
	inTenant(counter.db, receipt.tenantId, (tx) => listRefundsOf(tx, receipt.id));

/** The refunds whose status went back, other than that of one that was not sent. */
const listFallen = (before: readonly StoredRefund[], after: readonly StoredRefund[]): string[] =>
	before.flatMap(({ id, status: from }) => {
		const to = after.find((one) => one.id === id)?.status;
		const isNotSent = (from === "submitting" || from === "unknown") && to === "requested";
		return isNotSent || (to !== undefined && refundRanks[to] >= refundRanks[from]) ? [] : [`${from} ${to}`];
	});

test("whatever is refunded, disputed, released and paid out, in whatever order: nothing is returned twice, no status goes back, no money is lost, and debt is paid first (I9, I10, I12, I22)", async () => {
	const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
		const tenantId = await counter.tenant();
		const money = await openCardMoney(counter, tenantId);
		let before: readonly StoredRefund[] = [];
		for (const one of steps) {
			await one(money);
			const after = await listed(money);
			expect(listFallen(before, after)).toEqual([]);
			before = after;
		}
		expect(await findBroken(counter, tenantId)).toEqual([]);
	});
	await fc.assert(property, { numRuns: 60, endOnFailure: true });
	expect(await findViolations(counter)).toEqual([]);
}, 240_000);

const statusesOf = async (money: CardMoney) => (await listed(money)).map(({ status }) => status);

test("a refund and a chargeback of one payment at the same time, a hundred times: the refund is refused or both hold the money, and what is returned twice is debt", async () => {
	const run = async (from: number) => {
		const tenantId = await counter.tenant();
		for (let turn = from; turn < 100; turn += 4) {
			const money = await openCardMoney(counter, tenantId);
			const open = { status: "open", amountMinor: 100_000n } as const;
			const both = [() => money.refund(100_000n), () => money.dispute(`${turn}`, open)];
			const [refused] = await Promise.all((turn % 2 === 0 ? both : both.toReversed()).map((one) => one()));
			const ends: Step[] = [
				(to) => to.say(0, { kind: "processed" }),
				(to) => to.dispute(`${turn}`, { ...open, status: turn % 3 === 0 ? "won" : "lost" }),
			];
			await Promise.all(ends.map((one) => one(money)));
			const statuses = await statusesOf(money);
			expect(statuses).toEqual(statuses.length === 0 ? [] : ["processed"]);
			if (refused !== undefined) expect(refused).toBe("payment_disputed");
		}
		expect(await findBroken(counter, tenantId)).toEqual([]);
	};
	await Promise.all([0, 1, 2, 3].map(run));
	expect(await findViolations(counter)).toEqual([]);
}, 240_000);

const twoRefunds = [
	{ second: 40_000n, refused: [], statuses: ["processed", "processed"] },
	{ second: 40_001n, refused: ["refund_exceeds_payment"], statuses: ["processed"] },
];

test("two different refunds of one payment at the same time, a hundred times: both hold what it has for both, else one is refused (I9)", async () => {
	const run = async ({ second, refused, statuses }: (typeof twoRefunds)[number]) => {
		const tenantId = await counter.tenant();
		for (let turn = 0; turn < 25; turn += 1) {
			const money = await openCardMoney(counter, tenantId);
			const ends = await Promise.all([money.refund(60_000n), money.refund(second)]);
			expect(ends.filter((code) => code !== undefined)).toEqual(refused);
			for (const which of [0, 1]) await money.say(which, { kind: "processed" });
			expect(await statusesOf(money)).toEqual(statuses);
		}
		expect(await findBroken(counter, tenantId)).toEqual([]);
	};
	await Promise.all([...twoRefunds, ...twoRefunds].map(run));
	expect(await findViolations(counter)).toEqual([]);
}, 240_000);

test("a refund and an allocation of what a receipt has beside its payment at the same time, a hundred times: one of them is refused (I9)", async () => {
	const by = { actor: { kind: "user", id: "amina" } } as const;
	const run = async (from: number) => {
		const tenantId = await counter.tenant();
		for (let turn = from; turn < 100; turn += 4) {
			const money = await openCardMoney(counter, tenantId, 50_000n);
			const { id: intentId } = await addTrade(counter.db, tenantId);
			const of = { holderId: tenantId, tenantId, receiptId: money.receipt.id, intentId };
			const allocate = () =>
				allocateToIntent(
					{ db: counter.db, now: () => counter.clock.now },
					{ ...of, amountMinor: undefined, seenMinor: undefined, by },
				).then(
					() => undefined,
					(error) => error.code,
				);
			const both = [() => money.refundExcess(20_000n), allocate];
			const ends = await Promise.all((turn % 8 < 4 ? both : both.toReversed()).map((one) => one()));
			const refused = ends.filter((code) => code !== undefined);
			expect([["refund_exceeds_payment"], ["receipt_refunding"]]).toContainEqual(refused);
			await money.say(0, { kind: "processed" });
			const isReturned = refused[0] === "receipt_refunding";
			expect(await statusesOf(money)).toEqual(isReturned ? ["processed"] : []);
		}
		expect(await findBroken(counter, tenantId)).toEqual([]);
	};
	await Promise.all([0, 1, 2, 3].map(run));
	expect(await findViolations(counter)).toEqual([]);
}, 240_000);

test("a refund and a chargeback after a payout that deducted the fees are debt, which the next money pays first", async () => {
	const tenantId = await counter.tenant();
	const paidOut = await openCardMoney(counter, tenantId);
	await paidOut.release();
	expect(await paidOut.payOut()).toBe(96_500n);
	for (const name of ["tenant.available", "tenant.reserved", "tenant.fees_due"])
		expect(await counter.balances(tenantId)).not.toHaveProperty(name);
	expect(await paidOut.refund(40_000n)).toBe("balance_insufficient");
	expect(await paidOut.refund(40_000n, true)).toBeUndefined();
	await paidOut.say(0, { kind: "processed" });
	await paidOut.dispute("7", { status: "open", amountMinor: 60_000n });
	await paidOut.dispute("7", { status: "lost", amountMinor: 60_000n });
	expect(await counter.balances(tenantId)).toMatchObject({ "tenant.debt": 100_000 });
	const next = await openCardMoney(counter, tenantId);
	await next.release();
	expect(await counter.balances(tenantId)).not.toHaveProperty("tenant.debt");
	expect(await counter.balances(tenantId)).not.toHaveProperty("tenant.available");
	expect(await findBroken(counter, tenantId)).toEqual([]);
});

test("a refund that fails after its payment was released gives the money back as available", async () => {
	const tenantId = await counter.tenant();
	const money = await openCardMoney(counter, tenantId);
	await money.refund(40_000n);
	await money.release();
	await money.say(0, { kind: "failed", code: "failed" });
	expect(await counter.balances(tenantId)).toMatchObject({ "tenant.available": 100_000 });
	await money.payOut();
	await money.say(0, { kind: "processed" });
	expect(await counter.balances(tenantId)).toMatchObject({ "tenant.debt": 40_000 });
	expect(await findBroken(counter, tenantId)).toEqual([]);
});

test("a refund that is processed after it had failed is debt as far as its money was asked for again", async () => {
	const tenantId = await counter.tenant();
	const money = await openCardMoney(counter, tenantId);
	await money.refund(30_000n);
	await money.say(0, { kind: "failed", code: "failed" });
	expect(await money.refund(100_000n)).toBeUndefined();
	const [failed] = (await listed(money)).flatMap(({ status }, at) => (status === "failed" ? [at] : []));
	await money.say(failed ?? -1, { kind: "processed" });
	expect(await statusesOf(money)).toEqual(expect.arrayContaining(["processed", "requested"]));
	expect(await counter.balances(tenantId)).toMatchObject({
		"tenant.debt": 30_000,
		"tenant.refunding": 100_000,
	});
	expect(await findBroken(counter, tenantId)).toEqual([]);
});
