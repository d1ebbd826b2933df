import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { postJournals } from "../../src/ledger/ledger.store.ts";
import { LedgerOverdrawn } from "../../src/ledger/ledger-error.ts";
import { type Account, accounts } from "../../src/ledger/postings/account.ts";
import { credit, debit, makePosting } from "../../src/ledger/postings/posting.ts";
import { retryConflicts } from "../../src/ledger/retry-conflicts.ts";
import { applied, journalOf, openBook, paid } from "./book.ts";
import { findViolations } from "./invariants.ts";

const book = setUp(openBook);

const times = (many: number) => Array.from({ length: many }, (_, index) => index);

/** A tenant whose account of unapplied money has this much, spread over eight shards. */
async function hotTenant(amounts: readonly bigint[]): Promise<string> {
	const tenantId = await book.tenant();
	await book.post(tenantId, paid(1n));
	await book.db.query(
		"select set_ledger_shards(id, 8) from ledger_accounts where code = 'unapplied' and tenant_id = $1",
		[tenantId],
	);
	await Promise.all(amounts.map((amount) => book.post(tenantId, paid(amount))));
	return tenantId;
}

test("a hundred concurrent takings from an account get exactly what is in it, over all its shards", async () => {
	const tenantId = await hotTenant(times(40).map(() => 25n));
	const takings = times(100).map(() => retryConflicts(() => book.post(tenantId, applied(30n))));
	const results = await Promise.allSettled(takings);
	const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
	expect(refusals.filter((reason) => !(reason instanceof LedgerOverdrawn))).toEqual([]);
	expect(results.length - refusals.length).toBe(33);
	expect(await book.balances(tenantId)).toEqual({ unapplied: 11 });
	expect(await findViolations(book)).toEqual([]);
});

test("concurrent postings that raise and lower an account at once are all posted while it has enough", async () => {
	const tenantId = await hotTenant([10_000n]);
	await Promise.all(
		times(100).map((index) =>
			retryConflicts(() => book.post(tenantId, index % 2 === 0 ? paid(70n) : applied(50n))),
		),
	);
	expect(await book.balances(tenantId)).toEqual({ unapplied: 10_001 + 50 * 20 });
});

test("two transactions that lock each other's account are both posted: one of them is repeated, and no lack of funds is reported", async () => {
	const tenantId = await book.tenant();
	const move = (from: Account, to: Account) =>
		journalOf(makePosting("external", "KES", [debit(from, 300n), credit(to, 300n)]));
	const { bank, pending, available } = accounts;
	await book.post(tenantId, move(bank, pending), move(bank, available));
	const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const [mine, other] = [
		{ locked: first, waits: second },
		{ locked: second, waits: first },
	];
	const attempts: string[] = [];
	const through = (from: Account, to: Account, { locked, waits }: typeof mine) =>
		retryConflicts(() =>
			inTenant(book.db, tenantId, async (tx) => {
				attempts.push(from.code);
				await postJournals(tx, tenantId, [move(from, bank)]);
				locked.resolve();
				await waits.promise;
				await postJournals(tx, tenantId, [move(bank, to)]);
			}),
		);
	await Promise.all([through(pending, available, mine), through(available, pending, other)]);
	expect(attempts).toHaveLength(3);
	expect(await book.balances(tenantId)).toMatchObject({ "tenant.pending": 300, "tenant.available": 300 });
});

test("one source that is posted by many at once is posted once", async () => {
	const tenantId = await book.tenant();
	const journal = paid(40n);
	const answers = await Promise.all(times(20).map(() => book.post(tenantId, journal)));
	expect(answers.flat().filter(({ isNew }) => isNew)).toHaveLength(1);
	expect(await book.balances(tenantId)).toEqual({ unapplied: 40 });
});
