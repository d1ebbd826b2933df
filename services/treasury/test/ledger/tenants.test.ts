import { countTenantRows, repointTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { LedgerOverdrawn } from "../../src/ledger/ledger-error.ts";
import { collectByCard } from "../../src/ledger/postings/collecting.ts";
import { sealJournals } from "../../src/ledger/seal-journals.ts";
import { findLedgerProblems } from "../../src/ledger/verify-ledger.ts";
import { applied, journalOf, openBook, paid } from "./book.ts";

const book = setUp(openBook);

const byCard = () =>
	journalOf(
		collectByCard({
			...{ payee: "tenant", amountMinor: 100_000n, allocatedMinor: 100_000n, currency: "KES" },
			...{ feeMinor: 3_500n, channel: "card" },
		}),
	);
async function repoint(from: string, to: string) {
	const [row] = await book.db.query<{ slug: string }>("select slug from tenants where id = $1", [from]);
	return repointTenant(book.db, { slug: row?.slug ?? "", from, to });
}

/** Two ids of a tenant that both have unapplied money, and one of them card money. */
async function twoIds(): Promise<{ from: string; to: string }> {
	const [from, to] = [await book.tenant(), await book.tenant()];
	await book.post(from, paid(300n), byCard());
	await book.post(to, paid(50n));
	return { from, to };
}

describe("a tenant that is merged into another id", () => {
	test("keeps every account, journal and posting of both, and no row yields", async () => {
		const { from, to } = await twoIds();
		const [one, other] = [await countTenantRows(book.db, from), await countTenantRows(book.db, to)];
		expect(await repoint(from, to)).toEqual([]);
		const after = await countTenantRows(book.db, to);
		for (const table of ["ledger_accounts", "journals", "postings"])
			expect(after[table]).toBe((one[table] ?? 0) + (other[table] ?? 0));
		expect(await book.balances(to)).toEqual({
			unapplied: 350,
			"tenant.pending": 100_000,
			"tenant.fees_due": 3_500,
		});
		await sealJournals(book.db);
		expect(await findLedgerProblems(book.db)).toEqual([]);
	});

	test("uses the money of both as one, and no more", async () => {
		const { from, to } = await twoIds();
		await repoint(from, to);
		await book.post(to, applied(340n));
		await expect(book.post(to, applied(11n))).rejects.toBeInstanceOf(LedgerOverdrawn);
		await book.post(to, applied(10n));
		expect((await book.balances(to)).unapplied).toBeUndefined();
		expect(await findLedgerProblems(book.db)).toEqual([]);
	});

	test("posts to the account that stays, also after a second merge", async () => {
		const { from, to } = await twoIds();
		const third = await book.tenant();
		await book.post(third, paid(1n));
		await repoint(from, to);
		await repoint(to, third);
		await book.post(third, paid(7n));
		const accounts = await book.read(
			`select merged_into is null as stays, (select merged_into from ledger_accounts t where t.id = a.merged_into) as further,
			        sum(b.balance_minor)::int as balance
			   from ledger_accounts a join ledger_balances b on b.account_id = a.id
			  where a.tenant_id = $1 and a.code = 'unapplied' group by a.id order by balance`,
			[third],
		);
		expect(accounts).toEqual([
			{ stays: true, further: null, balance: 8 },
			{ stays: false, further: null, balance: 50 },
			{ stays: false, further: null, balance: 300 },
		]);
		await book.post(third, applied(358n));
	});

	test("does not post again what it posted before under the other id", async () => {
		const { from, to } = await twoIds();
		const journal = paid(25n);
		await book.post(from, journal);
		await repoint(from, to);
		expect((await book.post(to, journal)).map(({ isNew }) => isNew)).toEqual([false]);
	});
});

test("a tenant whose id changes keeps its ledger under the new id", async () => {
	const [from, to] = [await book.tenant(), crypto.randomUUID()];
	await book.post(from, paid(300n));
	await repoint(from, to);
	expect(await book.balances(to)).toEqual({ unapplied: 300 });
	expect(Object.values(await countTenantRows(book.db, from)).every((many) => many === 0)).toBe(true);
	await sealJournals(book.db);
	expect(await findLedgerProblems(book.db)).toEqual([]);
});
