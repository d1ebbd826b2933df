import { randomUUID } from "node:crypto";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { type Deducted, type Deduction, replaceDeductions } from "../src/settlements/deduction.store.ts";
import { openCards } from "./refunding/card-payments.ts";
import { openSettling, stating } from "./settling.ts";

const till = setUp(async () => {
	const opened = await openSettling();
	return { ...opened, ...stating(opened) };
});
const cards = () => openCards(till);

/** Returns parts of a payment, one after the other. */
async function sendBack(...amounts: number[]): Promise<void> {
	const { paymentId } = await cards().pay();
	for (const amount_minor of amounts) {
		const { body } = await cards().refund({ payment_id: paymentId, amount_minor });
		await till.service.jobs.runDue();
		await till.wait(20);
		await cards().becomes(body["id"], "processed");
	}
}

/** A settlement of one charge that deducts so much. Returns its number. */
async function settle(deductions: bigint): Promise<string> {
	const { receipt } = await till.receiptOf(await till.charge());
	const lines = [{ transaction: receipt, fee: 3_500n }];
	return till.state({ effective: 96_500n - deductions, fees: 3_500n, deductions, lines });
}

/** What each settlement deducted, by its number. */
async function deductedBy(): Promise<Record<string, number[]>> {
	const rows = await till.database.db.query<{ number: string; amounts: number[] }>(
		`select s.gateway_id as number, array_agg(n.amount_minor::int order by n.amount_minor) as amounts
		   from settlement_deductions n join settlements s on s.id = n.settlement_id group by s.gateway_id`,
	);
	return Object.fromEntries(rows.map(({ number, amounts }) => [number, amounts]));
}

const exceptions = () => till.exceptions("class=amount&state=open");

test("a settlement whose returns another one took by a wrong guess exchanges them, and nothing is left to decide", async () => {
	await sendBack(20_000, 30_000, 50_000);
	const first = await settle(50_000n);
	expect(await deductedBy()).toEqual({ [first]: [20_000, 30_000] });
	const balances = await till.platform();
	const second = await settle(30_000n);
	expect(await exceptions()).toEqual([]);
	expect([await till.stateOf(first), await till.stateOf(second)]).toEqual(["matched", "matched"]);
	const third = await settle(20_000n);
	expect(await deductedBy()).toEqual({ [first]: [50_000], [second]: [30_000], [third]: [20_000] });
	expect(await exceptions()).toEqual([]);
	// Of each of the two others its charge and what it deducts are posted, and nothing again of the first.
	const bank = Number(balances["bank"]) + 2 * 96_500 - 50_000;
	expect(await till.platform()).toMatchObject({ bank });
});

test("the exception of a settlement closes once it can exchange returns with another one", async () => {
	await sendBack(12_000, 13_000);
	const first = await settle(25_000n);
	const second = await settle(13_000n);
	expect(await exceptions()).toMatchObject([{ subject: `deductions of settlement ${second}` }]);
	await sendBack(25_000);
	await till.database.db.query(
		"update settlements set next_check_at = now() - interval '1 hour' where state = 'paid'",
	);
	await till.recover();
	expect(await exceptions()).toEqual([]);
	expect(await till.stateOf(second)).toBe("matched");
	expect(await deductedBy()).toMatchObject({ [first]: [25_000], [second]: [13_000] });
});

test("what settlements deducted is not replaced after another transaction changed it", async () => {
	await sendBack(41_000);
	const first = await settle(41_000n);
	const { db } = till.database;
	const [row] = await db.query<Pick<Deduction, "id" | "kind"> & { settlement_id: string }>(
		`select n.settlement_id, n.object_id as id, n.object_kind as kind from settlement_deductions n
		   join settlements s on s.id = n.settlement_id where s.gateway_id = $1`,
		[first],
	);
	if (row === undefined) throw new Error("the settlement deducted nothing");
	const deductions = [{ id: row.id, kind: row.kind, amountMinor: 41_000n }];
	const current: Deducted = { settlementId: row.settlement_id, deductions };
	const changed: Deducted = { settlementId: randomUUID(), deductions };
	await expect(db.transaction((tx) => replaceDeductions(tx, [current, changed], [current]))).rejects.toThrow(
		"what settlements deducted was changed by another transaction",
	);
	expect(await deductedBy()).toMatchObject({ [first]: [41_000] });
});
