import { randomUUID } from "node:crypto";
import { inTenant, openPool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { postJournal } from "../../src/ledger/ledger.store.ts";
import { LedgerJournalDiffers, LedgerOverdrawn } from "../../src/ledger/ledger-error.ts";
import {
	type Account,
	accounts,
	floatOf,
	gatewayFeeOf,
	suspenseOf,
} from "../../src/ledger/postings/account.ts";
import {
	applyToOperation,
	collectByCard,
	collectByPlatformShortcode,
} from "../../src/ledger/postings/collecting.ts";
import { credit, debit, type Journal, makePosting } from "../../src/ledger/postings/posting.ts";
import { journalOf, openBook } from "./book.ts";

const book = setUp(openBook);

const thousandByCard = collectByCard({
	...{ payee: "tenant", amountMinor: 100_000n, allocatedMinor: 100_000n, currency: "KES" },
	...{ feeMinor: 3_500n, channel: "card" },
});
const paidToPlatform = (amountMinor: bigint) =>
	collectByPlatformShortcode({ shortcode: "174379", amountMinor, currency: "KES" });
const applied = (amountMinor: bigint) => applyToOperation({ amountMinor, currency: "KES" });
const between = (from: Account, to: Account, amountMinor = 1n) =>
	journalOf(makePosting("external", "KES", [debit(from, amountMinor), credit(to, amountMinor)]));

describe("a journal", () => {
	test("changes the balances of its accounts in its transaction, and is stored with its postings and its hash", async () => {
		const tenantId = await book.tenant();
		const journal = journalOf(thousandByCard);
		const [posted] = await book.post(tenantId, journal);
		expect(posted?.isNew).toBe(true);
		expect(await book.balances(tenantId)).toEqual({ "tenant.pending": 100_000, "tenant.fees_due": 3_500 });
		const [row] = await book.read("select * from journals where id = $1", [posted?.id]);
		expect(row).toMatchObject({
			...{ tenant_id: tenantId, source_type: "receipt", source_id: journal.source.id, purpose: "collection" },
			...{ evidence_id: journal.evidenceId, effective_at: journal.at, hash: expect.any(Buffer) },
		});
		const lines = await book.read(
			"select line, side, amount_minor, tenant_id from postings where journal_id = $1 order by line",
			[posted?.id],
		);
		expect(lines).toEqual([
			{ line: 1, side: "debit", amount_minor: 96_500n, tenant_id: null },
			{ line: 2, side: "debit", amount_minor: 3_500n, tenant_id: null },
			{ line: 3, side: "debit", amount_minor: 3_500n, tenant_id: tenantId },
			{ line: 4, side: "credit", amount_minor: 3_500n, tenant_id: null },
			{ line: 5, side: "credit", amount_minor: 100_000n, tenant_id: tenantId },
		]);
	});

	test("is not posted when its transaction fails", async () => {
		const tenantId = await book.tenant();
		await expect(
			inTenant(book.db, tenantId, async (tx) => {
				await postJournal(tx, { tenantId, ...journalOf(thousandByCard) });
				throw new Error("the state was refused");
			}),
		).rejects.toThrow("the state was refused");
		expect(await book.balances(tenantId)).toEqual({});
	});

	test("may be posted with others in one call, where the later ones use what the earlier ones bring", async () => {
		const tenantId = await book.tenant();
		await book.post(tenantId, journalOf(paidToPlatform(500n)), journalOf(applied(400n)));
		expect(await book.balances(tenantId)).toEqual({ unapplied: 100 });
	});

	test("repeated with the same lines changes nothing, also within one call", async () => {
		const tenantId = await book.tenant();
		const journal = journalOf(paidToPlatform(500n));
		const [first, second] = await book.post(tenantId, journal, journal);
		const [third] = await book.post(tenantId, { ...journal, evidenceId: randomUUID() });
		expect([second, third]).toEqual([
			{ id: first?.id, isNew: false },
			{ id: first?.id, isNew: false },
		]);
		expect(await book.balances(tenantId)).toEqual({ unapplied: 500 });
	});

	test.each<[string, (id: string) => Journal]>([
		["another amount", (id) => journalOf(paidToPlatform(501n), id)],
		["another account", (id) => journalOf(thousandByCard, id)],
	])("repeated with %s is refused, and nothing of its call is posted", async (_, repeated) => {
		const tenantId = await book.tenant();
		const id = randomUUID();
		await book.post(tenantId, journalOf(paidToPlatform(500n), id));
		const again = book.post(tenantId, journalOf(paidToPlatform(7n)), repeated(id));
		await expect(again).rejects.toBeInstanceOf(LedgerJournalDiffers);
		expect(await book.balances(tenantId)).toEqual({ unapplied: 500 });
	});

	test("of a source that another tenant has posted is refused", async () => {
		const journal = journalOf(paidToPlatform(500n));
		await book.post(await book.tenant(), journal);
		await expect(book.post(await book.tenant(), journal)).rejects.toBeInstanceOf(LedgerJournalDiffers);
	});

	test("whose sides differ in a currency is refused, also where the sums of all currencies are equal", async () => {
		const tenantId = await book.tenant();
		const [debited, credited] = paidToPlatform(500n).lines;
		if (debited === undefined || credited === undefined) throw new Error("a collection has two lines");
		const refused = [
			[debited, { ...credited, amountMinor: 499n }],
			[debited, { ...credited, currency: "USD" }],
			[debited, { ...credited, side: "debit" as const }],
			[],
		];
		for (const lines of refused) {
			const journal = { ...journalOf(paidToPlatform(500n)), lines };
			await expect(book.post(tenantId, journal)).rejects.toThrow("debit and credit of a journal differ");
		}
	});

	test.each<[string, Account, string]>([
		["an unknown code", { code: "tenant.savings", owner: "tenant" }, "there is no account tenant.savings"],
		[
			"a tenant's account of the platform's",
			{ code: "bank", owner: "tenant" },
			"there is no account bank of a tenant",
		],
		[
			"a platform's account of a tenant's",
			{ code: "tenant.pending", owner: "platform" },
			"there is no account tenant.pending of a platform",
		],
	])("with %s is refused", async (_, account, message) => {
		await expect(book.post(await book.tenant(), between(account, accounts.unapplied))).rejects.toThrow(
			message,
		);
	});

	test("of a tenant is refused outside of this tenant, and without a tenant it has no account of one", async () => {
		const [one, other] = [await book.tenant(), await book.tenant()];
		const journal = journalOf(paidToPlatform(500n));
		const elsewhere = inTenant(book.db, one, (tx) => postJournal(tx, { tenantId: other, ...journal }));
		await expect(elsewhere).rejects.toThrow("inside this tenant");
		const nowhere = book.db.transaction((tx) => postJournal(tx, journal));
		await expect(nowhere).rejects.toThrow("a journal without a tenant has an account of a tenant");
	});

	test("without a tenant is posted among accounts of the platform", async () => {
		const before = await book.balances();
		await book.db.transaction((tx) => postJournal(tx, between(accounts.bank, accounts.cardUnsettled, 70n)));
		const after = await book.balances();
		expect((after.bank ?? 0) - (before.bank ?? 0)).toBe(70);
		expect((after["card.unsettled"] ?? 0) - (before["card.unsettled"] ?? 0)).toBe(-70);
	});
});

describe("a guarded account", () => {
	test("is not overdrawn: the error names it, and nothing of the call is posted", async () => {
		const tenantId = await book.tenant();
		await book.post(tenantId, journalOf(paidToPlatform(500n)));
		const refused = book.post(tenantId, journalOf(paidToPlatform(20n)), journalOf(applied(521n)));
		await expect(refused).rejects.toBeInstanceOf(LedgerOverdrawn);
		await expect(refused).rejects.toMatchObject({
			account: "unapplied",
			message: "ledger_overdrawn: unapplied",
		});
		expect(await book.balances(tenantId)).toEqual({ unapplied: 500 });
	});

	test("can be used up to 0", async () => {
		const tenantId = await book.tenant();
		await book.post(tenantId, journalOf(paidToPlatform(500n)));
		await book.post(tenantId, journalOf(applied(500n)));
		expect(await book.balances(tenantId)).toEqual({});
	});

	test("is guarded in each currency", async () => {
		const tenantId = await book.tenant();
		await book.post(tenantId, journalOf(paidToPlatform(500n)));
		const dollars = applyToOperation({ amountMinor: 1n, currency: "USD" });
		await expect(book.post(tenantId, journalOf(dollars))).rejects.toBeInstanceOf(LedgerOverdrawn);
	});

	test("that is an asset is not credited beyond what was debited", async () => {
		const tenantId = await book.tenant();
		const lowered = between(accounts.cardUnsettled, accounts.feesDue);
		await expect(book.post(tenantId, lowered)).rejects.toMatchObject({ account: "tenant.fees_due" });
	});
});

describe("the ledger", () => {
	const tables = [
		"ledger_accounts",
		"ledger_balances",
		"ledger_days",
		"journals",
		"postings",
		"journal_seals",
	];

	test("gives the service no right to write a table", async () => {
		const rights = await book.db.query(
			`select t as table_name from unnest($1::text[]) t
			  where has_table_privilege(t, 'insert, update, delete, truncate') or has_any_column_privilege(t, 'insert, update')`,
			[tables],
		);
		expect(rights).toEqual([]);
		await expect(book.db.query("delete from postings")).rejects.toThrow("permission denied");
		for (const statement of ["delete from evidence", "update evidence set said = '{}'"])
			await expect(book.db.query(statement)).rejects.toThrow("permission denied");
	});

	test("refuses its owner every change and deletion of what was posted", async () => {
		await book.post(await book.tenant(), journalOf(thousandByCard));
		const owner = openPool({ url: book.ownerUrl, name: "owner", sizeMax: 1 });
		try {
			for (const table of ["ledger_accounts", "journals", "postings"])
				await owner.query(`alter table ${table} no force row level security`);
			for (const statement of [
				"update postings set amount_minor = amount_minor + 1",
				"update journals set hash = ''",
				"update ledger_accounts set is_guarded = not is_guarded",
				"delete from postings",
				"delete from journals",
				"delete from ledger_accounts",
				"delete from ledger_balances",
				"truncate journals, postings",
			])
				await expect(owner.query(statement)).rejects.toThrow("are never changed or deleted");
		} finally {
			for (const table of ["ledger_accounts", "journals", "postings"])
				await owner.query(`alter table ${table} force row level security`);
			await owner.close();
		}
	});

	test("shows a tenant its own journals, postings and accounts only", async () => {
		const [one, other] = [await book.tenant(), await book.tenant()];
		await book.post(one, journalOf(thousandByCard));
		await book.post(other, journalOf(thousandByCard));
		for (const table of ["journals", "postings", "ledger_accounts"]) {
			const seen = await inTenant(book.db, one, (tx) => tx.query(`select distinct tenant_id from ${table}`));
			expect(seen).toEqual([{ tenant_id: one }]);
		}
	});

	test("knows every account that postings name, and its chart has no other", async () => {
		const shortcodes = [
			{ shortcode: "174379", owner: "tenant" },
			{ shortcode: "600000", owner: "platform" },
		] as const;
		const named = shortcodes.flatMap((one) => [floatOf(one), suspenseOf(one)]);
		const all = [...Object.values(accounts), ...named, gatewayFeeOf("card")];
		const chart = await book.db.query<{ code: string; type: string }>(
			"select code, type from ledger_chart()",
		);
		const kindOf = ({ code }: Account) => {
			const family = code.replace(/^(mm\.float|gateway_fee|suspense(?=\.\d))\..*/, "$1.*");
			return chart.find((kind) => kind.code === family);
		};
		expect(new Set(all.map(kindOf))).toEqual(new Set(chart));
		const tenantId = await book.tenant();
		for (const account of all) {
			const grows = ["asset", "expense"].includes(kindOf(account)?.type ?? "") ? debit : credit;
			const against = grows === debit ? credit : debit;
			const entries = [grows(account, 5n), against(accounts.variance, 5n)];
			await book.post(tenantId, journalOf(makePosting("external", "KES", entries)));
		}
		const own = all.filter(({ owner }) => owner === "tenant").map(({ code }) => [code, 5]);
		expect(await book.balances(tenantId)).toEqual(Object.fromEntries(own));
	});
});
