import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LedgerOverdrawn } from "../../src/ledger/ledger-error.ts";
import type { Journal } from "../../src/ledger/postings/posting.ts";
import { retryConflicts } from "../../src/ledger/retry-conflicts.ts";
import { anyPosting, funds } from "./any-posting.ts";
import { journalOf, openBook } from "./book.ts";
import { findViolations } from "./invariants.ts";

const book = setUp(openBook);

const runs = 25;
const workers = 4;

const call = fc.record({
	tenant: fc.constantFrom(0, 1),
	journals: fc.array(anyPosting, { minLength: 1, maxLength: 3 }),
	isRepeated: fc.boolean(),
});
type Call = { tenant: number; journals: readonly Journal[]; isRepeated: boolean };

test("at every moment of concurrent postings of every kind debit equals credit, all accounts add up to 0, balances are their postings, no guarded account is negative (I1, I2, I3, I5), and every journal has its evidence (I14)", async () => {
	const property = fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 24 }), async (calls) => {
		const tenants = [await book.tenant(), await book.tenant()];
		const funding = tenants.map((_, tenant) => ({ tenant, journals: funds, isRepeated: false }));
		const planned = [...funding, ...calls].map((one) => ({
			...one,
			journals: one.journals.map((each) => journalOf(each)),
		}));
		const done = postAll(tenants, planned);
		await watchUntil(done);
		for (const [index, tenantId] of tenants.entries())
			expect(await book.balances(tenantId)).toEqual(
				expectedBalances((await done).filter(({ tenant }) => tenant === index)),
			);
		const ids = (await done).flatMap(({ journals }) => journals.map(({ evidenceId }) => evidenceId));
		expect(await evidenceOf(tenants)).toEqual(ids.toSorted());
	});
	await fc.assert(property, { numRuns: runs, endOnFailure: true });
	await book.db.query("select seal_journals()");
	expect(await book.db.query("select * from verify_seals(0, 1000)")).toEqual([]);
}, 120_000);

test("the accounts that are guarded are those which may never be negative (I5)", async () => {
	const guarded = await book.db.query<{ code: string }>("select code from ledger_chart() where is_guarded");
	expect(guarded.map(({ code }) => code).toSorted()).toEqual([
		...[
			"suspense.*",
			"suspense.card",
			"tenant.available",
			"tenant.debt",
			"tenant.disputed",
			"tenant.fees_due",
		],
		...["tenant.pending", "tenant.refunding", "tenant.reserved", "unapplied"],
	]);
});

/** Posts the calls by several workers, some of them twice. Resolves with those that were not refused. */
async function postAll(tenants: readonly string[], calls: readonly Call[]): Promise<readonly Call[]> {
	const [queue, posted] = [[...calls], [] as Call[]];
	const post = (one: Call) =>
		retryConflicts(() => book.post(tenants[one.tenant] ?? "", ...one.journals)).catch((error: unknown) => {
			if (error instanceof LedgerOverdrawn) return undefined;
			throw error;
		});
	const work = async () => {
		for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
			const current = one;
			const answers = await Promise.all(
				Array.from({ length: current.isRepeated ? 2 : 1 }, () => post(current)),
			);
			if (answers.some((answer) => answer !== undefined)) posted.push(current);
		}
	};
	await Promise.all(Array.from({ length: workers }, work));
	return posted;
}

/** Looks for violations again and again until the work is done, and once after it. */
async function watchUntil(work: Promise<unknown>): Promise<void> {
	let isDone = false;
	const ended = work.finally(() => {
		isDone = true;
	});
	do {
		expect(await findViolations(book)).toEqual([]);
	} while (!isDone);
	await ended;
	expect(await findViolations(book)).toEqual([]);
}

/** The balances of the tenant's accounts, added up from the lines, without those that are 0. */
function expectedBalances(calls: readonly Call[]): Record<string, number> {
	const sums: Record<string, number> = {};
	for (const { side, account, amountMinor } of calls.flatMap(({ journals }) =>
		journals.flatMap(({ lines }) => lines),
	)) {
		if (account.owner === "platform") continue;
		const grows = /^(mm\.float|tenant\.(debt|fees_due))/.test(account.code) ? "debit" : "credit";
		sums[account.code] = (sums[account.code] ?? 0) + (side === grows ? 1 : -1) * Number(amountMinor);
	}
	return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

async function evidenceOf(tenants: readonly string[]): Promise<readonly string[]> {
	const rows = await book.read<{ evidence_id: string }>(
		"select evidence_id from journals where tenant_id = any ($1) order by evidence_id",
		[tenants],
	);
	return rows.map(({ evidence_id }) => evidence_id);
}
