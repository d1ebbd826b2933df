import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { findViolations } from "../ledger/invariants.ts";
import { addTrade, charge } from "../receive.ts";
import { openCounter } from "./counter.ts";
import { type CardMoney, openCardMoney, payOutAll } from "./returning.ts";
import { settleCharge } from "./settle-charge.ts";
import { findBroken } from "./state.ts";

const counter = setUp(openCounter);
/** As many at once as the service has connections for. */
const together = 4;

type Step = (money: CardMoney) => Promise<unknown>;
const failed = { kind: "failed", code: "failed" } as const;

test.each<{ what: string; times: number; before: readonly Step[]; late: Step; left: number }>([
	{
		what: "a refund that had failed, which is processed after all",
		times: 100,
		before: [(to) => to.refund(40_000n), (to) => to.say(0, failed)],
		late: (to) => to.say(0, { kind: "processed" }),
		left: 60_000,
	},
	{
		what: "a refund that is processed",
		times: 24,
		before: [(to) => to.refund(40_000n)],
		late: (to) => to.say(0, { kind: "processed" }),
		left: 60_000,
	},
	{
		what: "a refund that fails",
		times: 24,
		before: [(to) => to.refund(40_000n)],
		late: (to) => to.say(0, failed),
		left: 100_000,
	},
	{
		what: "a chargeback that is lost",
		times: 24,
		before: [],
		late: (to) => to.dispute(to.receipt.id, { status: "lost", amountMinor: 40_000n }),
		left: 60_000,
	},
])(
	"a settlement and $what, at the same time, $times times: what is left is available, once",
	async ({ times, before, late, left }) => {
		const run = async (from: number) => {
			const tenantId = await counter.tenant();
			for (let turn = from; turn < times; turn += together) {
				const money = await openCardMoney(counter, tenantId);
				for (const step of before) await step(money);
				const settled = () => settleCharge(counter, money.receipt, 3_600n);
				const both = [settled, () => late(money)];
				await Promise.all((turn % 8 < 4 ? both : both.toReversed()).map((one) => one()));
			}
			const turns = times / together;
			const balances = await counter.balances(tenantId);
			expect(balances).toMatchObject({ "tenant.available": turns * left, "tenant.fees_due": turns * 3_600 });
			for (const name of ["tenant.pending", "tenant.refunding", "tenant.disputed", "tenant.debt"])
				expect(balances).not.toHaveProperty(name);
			expect(await findBroken(counter, tenantId)).toEqual([]);
		};
		await Promise.all(Array.from({ length: together }, (_, from) => run(from)));
		expect(await findViolations(counter)).toEqual([]);
	},
	120_000,
);

type Posted = Record<"fee" | "payment_fee" | "unsettled" | "expense" | "trueups" | "amount", number>;

/** What is posted of each receipt of a tenant: by its collection, and by the line that settled it. */
const postedOf = (tenantId: string) =>
	counter.read<Posted>(
		`with charges as materialized (
		   select r.id, r.receipt, r.amount_minor, r.fee_minor, p.fee_minor as payment_fee
		     from receipts r join payments p on p.tenant_id = r.tenant_id and p.receipt_id = r.id where r.tenant_id = $1
		 )
		 select c.amount_minor::int as amount, c.fee_minor::int as fee, c.payment_fee::int as payment_fee,
		        sum(case when a.code = 'card.unsettled' then v.amount else 0 end)::int as unsettled,
		        sum(case when a.code = 'gateway_fee.card' then v.amount else 0 end)::int as expense,
		        (count(distinct j.id) filter (where j.purpose = 'fee_trueup'))::int as trueups
		   from charges c
		   join journals j on j.source_id = c.id or j.source_id in (select n.id from settlement_lines n where n.transaction_id = c.receipt)
		   join postings o on o.journal_id = j.id
		   cross join lateral (select case o.side when 'debit' then o.amount_minor else -o.amount_minor end as amount) v
		   join ledger_accounts a on a.id = o.account_id
		  group by c.id, c.amount_minor, c.fee_minor, c.payment_fee order by c.id`,
		[tenantId],
	);

const fee = fc.bigInt({ min: 0n, max: 120_000n });
const estimate = 3_500;
const life = fc.record({
	/** What the event of the charge says. */
	said: fc.option(fee, { nil: undefined }),
	/** What the settlement says. */
	settled: fc.option(fee, { nil: undefined }),
	/** Whether a payout deducts the fees that are due before it is settled. */
	isPaidOut: fc.boolean(),
});

type Life = { said: bigint | undefined; settled: bigint | undefined; isPaidOut: boolean };

/** What is to be posted of a charge. */
function expectedOf({ said, settled }: Life): Posted {
	const first = said === undefined ? estimate : Number(said);
	const last = settled === undefined ? first : Number(settled);
	const posted = { fee: last, payment_fee: last, expense: last, unsettled: 100_000 - last };
	return { amount: 100_000, ...posted, trueups: last === first ? 0 : 1 };
}

/** Charges a tenant, and settles the charges one after the other. Returns what payouts took meanwhile. */
async function live(tenantId: string, lives: readonly Life[]): Promise<number> {
	let paidOut = 0;
	const charges: Array<Life & { receipt: Receipt }> = [];
	for (const one of lives) {
		const said = one.said === undefined ? {} : { feeMinor: one.said };
		charges.push({ ...one, receipt: await charge(counter.db, await addTrade(counter.db, tenantId), said) });
	}
	for (const { receipt, settled, isPaidOut } of charges) {
		if (isPaidOut) paidOut += Number(await payOutAll(counter, tenantId));
		await settleCharge(counter, receipt, settled);
	}
	return paidOut;
}

test("the fee that is posted is the last one that the gateway stated, and differs from the first by one true-up, whether or not a payout deducted it (I17)", async () => {
	const property = fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
		const tenantId = await counter.tenant();
		const paidOut = await live(tenantId, lives);
		const expected = lives.map(expectedOf);
		expect(await postedOf(tenantId)).toEqual(expected);
		const { "tenant.available": available = 0, "tenant.fees_due": due = 0 } =
			await counter.balances(tenantId);
		const fees = expected.reduce((sum, one) => sum + one.fee, 0);
		expect(paidOut + available - due).toBe(100_000 * lives.length - fees);
		expect(await findBroken(counter, tenantId)).toEqual([]);
	});
	await fc.assert(property, { numRuns: 60, endOnFailure: true });
	expect(await findViolations(counter)).toEqual([]);
}, 240_000);
