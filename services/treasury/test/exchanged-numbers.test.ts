import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { besideOthers, waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { maskPhone } from "../src/money/phone.ts";
import { addReversal } from "./refunding/add-reversal.ts";
import { newPhone } from "./till.ts";
import { lineOf, openUnnumbered, type Paid } from "./unnumbered.ts";

const till = setUp(openUnnumbered);

/** Prompts of one amount, each to another phone, that were found paid without a number. */
async function payPrompts(amountMinor: bigint, count: number): Promise<Paid[]> {
	const payments: Paid[] = [];
	for (let nth = 0; nth < count; nth += 1)
		payments.push(await till.payUnnumbered(till.tenants.uhai, { payee: "tenant", amountMinor }));
	await till.findPaid(...payments);
	return payments;
}

type Line = Pick<Paid, "at" | "receipt" | "payer">;
/** A statement with the phones in full, and all that came before its end. */
const state = (amountMinor: bigint, lines: readonly Line[]) =>
	till.sendLines(
		"600200",
		lines.map((one) => lineOf(one, Number(amountMinor), `,${one.payer}`)),
		till.end(),
	);

const numbersOf = async (payments: readonly Paid[]) =>
	(await Promise.all(payments.map(({ counted }) => counted()))).flat().map(({ receipt }) => receipt);

describe("a number that was joined to the prompt of another phone by a guess", () => {
	test("goes to the phone that its line shows, also along a chain, and no money is counted for it", async () => {
		const payments = await payPrompts(68_000n, 3);
		const [first, second, third] = payments as [Paid, Paid, Paid];
		await till.guess([
			[first, second.receipt],
			[second, third.receipt],
		]);
		const before = await till.balances(till.tenants.uhai);
		await state(68_000n, payments);
		const receipts = payments.map(({ receipt }) => receipt);
		expect(await numbersOf(payments)).toEqual(receipts);
		const shown = await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
			tx.query("select payer_masked as payer from receipts where amount_minor = 68000 order by receipt"),
		);
		const payers = payments.toSorted((one, other) => (one.receipt < other.receipt ? -1 : 1));
		expect(shown).toEqual(payers.map(({ payer }) => ({ payer: maskPhone(payer) })));
		expect(await till.balances(till.tenants.uhai)).toEqual(before);
		expect(await till.listMissing(receipts)).toEqual([]);
	});

	/** Each of so many prompts has the number of the next one, and the last that of the first. */
	async function mixUp(amountMinor: bigint, count: number) {
		const payments = await payPrompts(amountMinor, count);
		const receipts = payments.map(({ receipt }) => receipt);
		for (const one of payments) await till.guess([[one, `TEMP${one.receipt.slice(4)}`]]);
		await till.guess(payments.map((one, nth) => [one, receipts[(nth + 1) % count] ?? null] as const));
		return { payments, receipts };
	}

	test.each([2, 3])(
		"goes to the phone that its line shows, also round %i prompts that have the number of the next one",
		async (count) => {
			const amountMinor = 68_400n + BigInt(count) * 100n;
			const { payments, receipts } = await mixUp(amountMinor, count);
			await state(amountMinor, payments);
			expect(await numbersOf(payments)).toEqual(receipts);
			expect(await till.listMissing(receipts)).toEqual([]);
		},
	);

	test("is corrected by several imports at the same time as by one", async () => {
		const { payments, receipts } = await mixUp(68_200n, 3);
		await Promise.all([1, 2, 3, 4].map(() => state(68_200n, payments)));
		expect(await numbersOf(payments)).toEqual(receipts);
		expect(await till.listMissing(receipts)).toEqual([]);
	});

	test("goes to the prompt of its phone while the own number is not in a statement", async () => {
		const payments = await payPrompts(68_800n, 2);
		const [first, second] = payments as [Paid, Paid];
		await till.guess([[first, second.receipt]]);
		await state(68_800n, [second]);
		expect(await numbersOf(payments)).toEqual([null, second.receipt]);
		await state(68_800n, [first]);
		expect(await numbersOf(payments)).toEqual([first.receipt, second.receipt]);
	});

	test("goes to the prompt of its phone if the other phone also paid without a prompt", async () => {
		const { uhai } = till.tenants;
		await till.registerUrls(uhai);
		const payments = await payPrompts(68_300n, 2);
		const [first, second] = payments as [Paid, Paid];
		await till.guess([
			[first, second.receipt],
			[second, "SKL9OTHER83"],
		]);
		const byHand = await till.payAtCounter({
			...{ shortcode: "600200", amountMinor: 68_300, phone: first.payer },
		});
		await till.guess([[second, null]]);
		await state(68_300n, [{ ...first, receipt: byHand }, ...payments]);
		expect(await numbersOf(payments)).toEqual([first.receipt, second.receipt]);
		expect(await till.listMissing([byHand, first.receipt, second.receipt])).toEqual([]);
	});

	test.each([1, 2])(
		"stays if it was to be reversed by it, and the prompt of that phone gets the number of the payer, also along a chain of %i",
		async (reversals) => {
			const amountMinor = 67_000n + BigInt(reversals) * 100n;
			const payments = await payPrompts(amountMinor, reversals + 1);
			const receipts = payments.map(({ receipt }) => receipt);
			const shifted = [...receipts.slice(1), receipts[0] ?? ""];
			for (const [nth, number] of shifted.slice(0, reversals).entries()) {
				await till.guess([[payments[nth] as Paid, number]]);
				await addReversal(till.database.db, till.tenants.uhai.id, { number });
			}
			await state(amountMinor, payments);
			expect(await numbersOf(payments)).toEqual(shifted);
			expect(await till.listMissing(receipts)).toEqual([]);
		},
	);
});

describe("a number that was joined to the prompt of another phone, whose own number was counted as a payment without a prompt,", () => {
	/** The prompt, the number of a phone whose prompt expired, and what was counted without a prompt. */
	async function mistake(amountMinor: bigint) {
		const { uhai } = till.tenants;
		await till.registerUrls(uhai);
		const [prompt] = (await payPrompts(amountMinor, 1)) as [Paid];
		const foreign = { receipt: `SKL${amountMinor}XX`, at: prompt.at, payer: newPhone("accepts") };
		await till.guess([[prompt, foreign.receipt]]);
		const receipt = await till.payAtCounter({
			...{ shortcode: "600200", amountMinor: Number(amountMinor), phone: prompt.payer },
		});
		const numbers = async () => {
			const rows = await inTenant(till.database.db, uhai.id, (tx) =>
				tx.query<{ receipt: string }>(
					"select receipt from receipts where amount_minor = $1 order by attempt_id is not null",
					[amountMinor],
				),
			);
			return rows.map((row) => row.receipt);
		};
		const missing = () => till.listMissing([foreign.receipt, receipt]);
		return { foreign, own: { ...prompt, receipt }, numbers, missing };
	}

	test("is exchanged with it, and no money is counted for it, however many lines have that amount", async () => {
		const { foreign, own, numbers, missing } = await mistake(69_000n);
		expect(await numbers()).toEqual([own.receipt, foreign.receipt]);
		const before = await till.balances(till.tenants.uhai);
		const others = Array.from({ length: 520 }, (_, nth) => ({
			...{ receipt: `SKLMANY${nth + 100}`, at: foreign.at, payer: newPhone("accepts") },
		}));
		const later = new Date(new Date(own.at).getTime() + 60_000).toISOString();
		await state(69_000n, [foreign, ...others, { ...own, at: later }]);
		expect(await numbers()).toEqual([foreign.receipt, own.receipt]);
		expect(await till.balances(till.tenants.uhai)).toEqual(before);
		expect(await missing()).toEqual([]);
	});

	test("stays if its own line comes only in a later statement", async () => {
		const { foreign, own, numbers, missing } = await mistake(69_300n);
		for (const line of [foreign, own]) {
			await state(69_300n, [line]);
			expect(await numbers()).toEqual([own.receipt, foreign.receipt]);
			expect(await missing()).toEqual([]);
		}
	});

	test.each([
		["it was", "foreign"],
		["the other payment was", "own"],
	] as const)("stays once %s to be reversed by its number", async (_which, which) => {
		const amountMinor = which === "own" ? 69_100n : 69_200n;
		const payments = await mistake(amountMinor);
		const { foreign, own, numbers, missing } = payments;
		await addReversal(till.database.db, till.tenants.uhai.id, { number: payments[which].receipt });
		await state(amountMinor, [foreign, own]);
		expect(await numbers()).toEqual([own.receipt, foreign.receipt]);
		expect(await missing()).toEqual([]);
	});
});

test("a reversal of a number that goes to another payment while it is asked for is refused", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const [first, second] = (await payPrompts(69_700n, 2)) as [Paid, Paid];
	await till.guess([[first, second.receipt]]);
	const asked = await inTenant(
		db,
		uhai.id,
		besideOthers(async (tx) => {
			await tx.query("lock table attempts in access exclusive mode");
			const waiting = till.call({
				...{
					method: "POST",
					url: `/api/v1/${uhai.slug}/treasury/reversals`,
					token: till.token(uhai, "admin"),
				},
				body: { receipt: second.receipt, remarks: "A mistake" },
				headers: { "idempotency-key": randomUUID() },
			});
			await waitForBlockedQueries(db, { like: "%attempts%" });
			await tx.query("update receipts set receipt = $2 where receipt = $1", [second.receipt, first.receipt]);
			return { waiting };
		}),
	);
	expect(await asked.waiting).toMatchObject({ status: 404, body: { code: "receipt_not_found" } });
});
