import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { postJournals } from "../../services/treasury/src/ledger/ledger.store.ts";
import { treasury } from "../../services/treasury/src/service.ts";
import { addBill } from "../../services/treasury/test/add-bill.ts";
import { applied, openBook, paid } from "../../services/treasury/test/ledger/book.ts";
import { sealAndCheck } from "../../services/treasury/test/ledger/invariants.ts";
import { createClusterDatabase, workerCounts } from "./cluster.ts";

describe.for(workerCounts)("the ledger on a coordinator and %d workers", (workers) => {
	const book = setUp(() => openBook(() => createClusterDatabase(treasury, workers)));
	const countBills = async (tenantId: string) => {
		const rows = await inTenant(book.db, tenantId, (tx) => tx.query("select from intents"));
		return rows.length;
	};
	const billAndPost = (tenantId: string, journal = paid(100n), then = async () => {}) =>
		inTenant(book.db, tenantId, async (tx) => {
			await addBill(tx, tenantId);
			await postJournals(tx, tenantId, [journal]);
			await then();
		});

	test("a bill on the tenant's node and a journal on the coordinator are committed together, or neither is", async () => {
		const tenantId = await book.tenant();
		await billAndPost(tenantId);
		await expect(billAndPost(tenantId, applied(101n))).rejects.toThrow("ledger_overdrawn: unapplied");
		const failing = billAndPost(tenantId, paid(70n), () => Promise.reject(new Error("refused")));
		await expect(failing).rejects.toThrow("refused");
		expect([await countBills(tenantId), await book.balances(tenantId)]).toEqual([1, { unapplied: 100 }]);
	});

	test("a journal that twenty post at once is posted once; one that overdraws an account is refused", async () => {
		const tenantId = await book.tenant();
		const journal = paid(40n);
		const answers = await Promise.all(Array.from({ length: 20 }, () => book.post(tenantId, journal)));
		expect(answers.flat().filter(({ isNew }) => isNew)).toHaveLength(1);
		await expect(book.post(tenantId, applied(41n))).rejects.toThrow("ledger_overdrawn: unapplied");
		expect(await book.balances(tenantId)).toEqual({ unapplied: 40 });
	});

	test("two hundred bills of ten tenants, each with a journal, at once leave a ledger that adds up", async () => {
		const tenants = await Promise.all(Array.from({ length: 10 }, () => book.tenant()));
		const chains = tenants.flatMap((tenantId) => [tenantId, tenantId]);
		await Promise.all(
			chains.map(async (tenantId) => {
				for (let count = 0; count < 10; count += 1) await billAndPost(tenantId);
			}),
		);
		for (const tenantId of tenants)
			expect([await countBills(tenantId), await book.balances(tenantId)]).toEqual([20, { unapplied: 2_000 }]);
		expect(await sealAndCheck(book)).toEqual([]);
	});

	test("a tenant sees its own rows; without a tenant none are seen; the platform owner sees all", async () => {
		const [one, other] = [await book.tenant(), await book.tenant()];
		for (const tenantId of [one, other]) await billAndPost(tenantId);
		for (const table of ["intents", "ledger_accounts", "journals", "postings"]) {
			const tenants = `select distinct tenant_id from ${table} where tenant_id is not null`;
			const own = await inTenant(book.db, one, (tx) => tx.query(tenants));
			expect(own, table).toEqual([{ tenant_id: one }]);
			expect(await book.db.query(tenants), table).toEqual([]);
			expect((await acrossTenants(book.db, (tx) => tx.query(tenants))).length, table).toBeGreaterThan(1);
		}
	});

	test("a tenant cannot write a bill of another one, nor post its journal", async () => {
		const [one, other] = [await book.tenant(), await book.tenant()];
		const writing = inTenant(book.db, one, (tx) => addBill(tx, other));
		await expect(writing).rejects.toThrow(/row-level security/);
		const posting = inTenant(book.db, one, (tx) => postJournals(tx, other, [paid(1n)]));
		await expect(posting).rejects.toThrow("inside this tenant");
	});
});
