import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { postJournal } from "../../src/ledger/ledger.store.ts";
import { closeLedgerDays, sealJournals } from "../../src/ledger/seal-journals.ts";
import { findLedgerProblems, verifyLedger } from "../../src/ledger/verify-ledger.ts";
import { applied, type Book, movePostedAt, openBook, paid, tamper } from "./book.ts";

/**
 * Seals until every journal is sealed: a transaction elsewhere in the cluster can be in the way for a
 * moment.
 */
async function sealAll(book: Book): Promise<void> {
	const unsealed = async () => {
		await sealJournals(book.db);
		const [row] = await book.read<{ many: number }>(
			"select (select count(*) from journals)::int - coalesce((select sum(count) from journal_seals), 0)::int as many",
		);
		return row?.many;
	};
	await expect.poll(unsealed).toBe(0);
}

/** Posts a journal in a transaction that runs until `commit`. */
async function openPosting(book: Book): Promise<{ commit(): Promise<void> }> {
	const tenantId = await book.tenant();
	const [posted, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const running = inTenant(book.db, tenantId, async (tx) => {
		await postJournal(tx, { tenantId, ...paid(5n) });
		posted.resolve();
		await go.promise;
	});
	await Promise.race([posted.promise, running]);
	return {
		commit: async () => {
			go.resolve();
			await running;
		},
	};
}

const seals = (book: Book) =>
	book.read<{ seq: bigint; count: bigint; hash: Buffer; previous_hash: Buffer }>(
		"select seq, count, hash, previous_hash from journal_seals order by seq",
	);

describe("the hash chain", () => {
	const book = setUp(openBook);

	test("covers each journal once, and each seal holds the hash of the one before", async () => {
		const tenantId = await book.tenant();
		await book.post(tenantId, paid(100n), applied(40n));
		await sealAll(book);
		const before = await seals(book);
		expect(await sealJournals(book.db)).toBe(0n);
		await book.post(tenantId, paid(7n));
		await sealAll(book);
		const after = await seals(book);
		expect(after.slice(0, before.length)).toEqual(before);
		const [last, next] = [before.at(-1), after[before.length]];
		expect(next).toMatchObject({ count: 1n, previous_hash: last?.hash });
		expect(await findLedgerProblems(book.db)).toEqual([]);
	});

	test("waits for a transaction that still runs, although later journals are committed", async () => {
		const running = await openPosting(book);
		await book.post(await book.tenant(), paid(6n));
		expect(await sealJournals(book.db)).toBe(0n);
		await running.commit();
		await sealAll(book);
		expect(await findLedgerProblems(book.db)).toEqual([]);
	});
});

describe("the nightly check", () => {
	test.each<[string, string, string]>([
		["a changed amount", "update postings set amount_minor = 101 where line = 1", "a journal was changed"],
		["a changed time", "update journals set effective_at = now() where id = 1", "a journal was changed"],
		[
			"a changed account",
			"update postings set account_id = (select max(account_id::text)::uuid from postings)",
			"a journal was changed",
		],
		[
			"a deleted journal",
			"delete from postings where journal_id = 2; delete from journals where id = 2",
			"its journals are others",
		],
		["a changed hash", "update journals set hash = sha256('') where id = 2", "its journals are others"],
		[
			"a journal added to what is sealed",
			`${"insert into journals select 99, tenant_id, source_type, gen_random_uuid(), purpose, evidence_id, effective_at,"} posted_at, cluster, xid, hash from journals limit 1`,
			"its journals are others",
		],
		[
			"a changed seal",
			"update journal_seals set hash = sha256('') where seq = 1",
			"the seal before has another hash",
		],
		["a deleted seal", "delete from journal_seals where seq = 1", "the seal before is missing"],
		[
			"a changed balance",
			"update ledger_balances set balance_minor = 61 where balance_minor = 60",
			"its postings add up to 60",
		],
		[
			"accounts that do not add up to 0",
			"update ledger_balances set balance_minor = 61 where balance_minor = 60",
			"add up to -1 instead of 0",
		],
		[
			"a negative account",
			"update ledger_balances set balance_minor = -1 where balance_minor = 60",
			"is negative",
		],
	])("finds %s", async (_, statement, problem) => {
		const book = await openBook();
		try {
			const tenantId = await book.tenant();
			await book.post(tenantId, paid(100n));
			await sealAll(book);
			await book.post(tenantId, applied(40n));
			await sealAll(book);
			await expect(verifyLedger(book.db)).resolves.toBeUndefined();
			await tamper(book, statement);
			await expect(verifyLedger(book.db)).rejects.toThrow(problem);
		} finally {
			await book.close();
		}
	});
});

describe("a copy that was restored into another cluster", () => {
	const book = setUp(openBook);

	test("seals what the former cluster left, and then begins a range of its own", async () => {
		const tenantId = await book.tenant();
		await book.post(tenantId, paid(100n));
		await sealAll(book);
		await book.post(tenantId, paid(10n));
		const elsewhere = "cluster = 1, xid = (xid::text::numeric + 1000000000)::text::xid8";
		await tamper(book, `update journals set ${elsewhere}`);
		await tamper(
			book,
			"update journal_seals set cluster = 1, until_xid = (until_xid::text::numeric + 1000000000)::text::xid8",
		);
		await book.post(tenantId, paid(1n));
		await sealAll(book);
		const ranges = await book.read("select cluster = 1 as is_former, count from journal_seals order by seq");
		expect(ranges).toEqual([
			{ is_former: true, count: 1n },
			{ is_former: true, count: 1n },
			{ is_former: false, count: 1n },
		]);
		expect(await findLedgerProblems(book.db)).toEqual([]);
	});
});

describe("a day of an account", () => {
	const book = setUp(openBook);
	const days = (tenantId: string) =>
		book.read(
			`select d.closing_minor, d.day = (now() at time zone 'UTC')::date - 2 as is_first from ledger_days d
			   join ledger_accounts a on a.id = d.account_id where a.tenant_id = $1 order by d.day`,
			[tenantId],
		);

	test("is closed with its balance when it is over and every transaction of it has ended; the check finds a wrong one", async () => {
		const tenantId = await book.tenant();
		for (const [amount, daysAgo] of [
			[100n, 2],
			[10n, 1],
			[1n, 0],
		] as const) {
			await book.post(tenantId, paid(amount));
			await movePostedAt(book, `${daysAgo} days`);
		}
		const running = await openPosting(book);
		await sealJournals(book.db);
		await closeLedgerDays(book.db);
		expect(await days(tenantId)).toEqual([]);
		await running.commit();
		const closed = async () => {
			await book.post(await book.tenant(), paid(3n));
			await sealJournals(book.db);
			await closeLedgerDays(book.db);
			return days(tenantId);
		};
		await expect.poll(closed).toEqual([
			{ closing_minor: 100n, is_first: true },
			{ closing_minor: 110n, is_first: false },
		]);
		const daysFound = async () =>
			(await findLedgerProblems(book.db)).filter(({ problem }) => problem.includes("closed")).length;
		expect(await daysFound()).toBe(0);
		await tamper(book, "update ledger_days set closing_minor = 111 where closing_minor = 110");
		expect(await daysFound()).toBeGreaterThan(0);
	});
});
