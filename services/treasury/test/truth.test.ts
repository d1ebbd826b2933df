import fc from "fast-check";
import { expect, test } from "vitest";
import { stating } from "./settling.ts";
import { openTruth } from "./truth.ts";

type Truth = Awaited<ReturnType<typeof openTruth>>;

/** What happens at the gateways, also with what is lost of it. */
const acts: Readonly<Record<string, (till: Truth) => Promise<unknown>>> = {
	charge: (till) => till.charge(),
	"charge whose event is lost": (till) => till.charge({ isLost: true }),
	"charge for the platform": (till) => till.charge({ payee: "platform" }),
	"charge that is not ours": (till) => till.payElsewhere(),
	prompt: (till) => till.prompt(),
	"prompt whose callback is lost": (till) => till.prompt({ isLost: true }),
	"payment at the counter": (till) => till.payAtCounter({ shortcode: "600200", amountMinor: 30_000 }),
	"payment to the platform": (till) => till.payAtCounter({ shortcode: "600100", amountMinor: 20_000 }),
	refund: (till) => till.refund(25_000),
	"refund whose event is lost": async (till) => {
		await till.lose("refund.processed");
		await till.refund(10_000);
	},
	"dispute that is lost": (till) => till.dispute("merchant-accepted"),
	"dispute that is won": (till) => till.dispute("declined"),
	"dispute of which only the end is known": async (till) => {
		await till.lose("charge.dispute.create");
		await till.dispute("merchant-accepted");
	},
	settlement: (till) => till.settleNow(),
	"settlement with other fees": async (till) => {
		await till.cards("PUT", "/_control/faults", [
			{ operation: "settle", fault: "settlement_fee_error", count: 1 },
		]);
		await till.settleNow();
	},
	"top-up": (till) => till.cards("POST", "/_control/top-up", { amount: 150_000 }),
	payout: (till) => till.payOut(),
	"payout whose event is lost": async (till) => {
		await till.lose("transfer.success");
		await till.payOut();
	},
	"payout to a phone": (till) => till.payPhone(),
	"payout to a phone whose result is lost": (till) => till.payPhone({ isLost: true }),
};

const act = fc.constantFrom(...Object.keys(acts));

/** Every act, each after what it needs. */
const examples: Array<[string[]]> = [
	[
		[
			...["charge", "charge for the platform", "prompt", "payment at the counter", "refund", "settlement"],
			...["dispute that is won", "top-up", "payout", "payout to a phone"],
		],
	],
	[
		[
			...["charge", "charge whose event is lost", "charge that is not ours", "payment at the counter"],
			...["payment to the platform", "prompt whose callback is lost", "refund whose event is lost"],
			...["dispute that is lost", "dispute of which only the end is known", "settlement with other fees"],
			...["payout whose event is lost", "payout to a phone whose result is lost"],
		],
	],
];

test("whatever moved at the gateways, and whatever was lost of what they said: once nothing moves and the books are reconciled, they have what the gateways have, to the cent (I19)", async () => {
	expect(new Set(examples.flat(2))).toEqual(new Set(Object.keys(acts)));
	const property = fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 12 }), async (names) => {
		const till = await openTruth();
		try {
			for (const name of names) {
				await acts[name]?.(till);
				await till.service.jobs.runDue();
			}
			await till.quiesce();
			await till.reconcile();
			await till.reconcile();
			const { ours, truth } = await till.books();
			expect(ours).toEqual(truth);
			expect(await till.exceptions("state=open")).toEqual([]);
		} finally {
			await till.close();
		}
	});
	await fc.assert(property, { numRuns: 3, endOnFailure: true, examples });
}, 400_000);

test("a fee that is corrected after a payout deducted its estimate is due with the next payout if it is higher, and available if it is lower", async () => {
	const till = await openTruth();
	try {
		const { available } = till;
		const payOut = async () => {
			await till.payOut();
			await till.service.jobs.runDue();
		};
		await till.charge();
		await till.settleNow();
		await till.charge();
		await payOut();
		expect(await available()).toEqual({ pending: 100_000, available: 0, fees_due: 0 });
		await till.cards("PUT", "/_control/faults", [
			{ operation: "settle", fault: "settlement_fee_error", count: 1 },
		]);
		await till.settleNow();
		expect(await available()).toEqual({ pending: 0, available: 100_000, fees_due: 100 });
		const { state, receiptOf } = stating(till);
		const { receipt } = await receiptOf(await till.charge());
		await payOut();
		expect(await available()).toEqual({ pending: 100_000, available: 0, fees_due: 0 });
		await state({ effective: 96_600n, lines: [{ transaction: receipt, fee: 3_400n }] });
		expect(await available()).toEqual({ pending: 0, available: 100_100, fees_due: 0 });
	} finally {
		await till.close();
	}
}, 120_000);
