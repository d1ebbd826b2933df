import { expect, test } from "vitest";
import type { StoredPart } from "../../holds/hold.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import { type Returnable, takeParts } from "./take-parts.ts";

type Has = {
	payments?: readonly bigint[];
	platformMinor?: bigint;
	parts?: readonly StoredPart[];
	bills?: Returnable["bills"];
};

/** A receipt of 1,000.00, with payments `1`, `2` and so on; the rest is not allocated. */
function returnable({ payments = [], platformMinor = 0n, parts = [], bills = [] }: Has): Returnable {
	const allocatedMinor = payments.reduce((sum, one) => sum + one, platformMinor);
	const isSuspended = ({ source, state }: StoredPart) => source === "suspense" && state !== "released";
	const refundedMinor = parts.filter(isSuspended).reduce((sum, one) => sum + one.amountMinor, 0n);
	return {
		receipt: { amountMinor: 100_000n, allocatedMinor, refundedMinor, platformMinor } as Receipt,
		payments: payments.map((amountMinor, at) => ({
			...({ id: String(at + 1), amountMinor } as Returnable["payments"][number]),
			pendingMinor: amountMinor,
		})),
		...{ parts, unappliedMinor: 0n, bills },
	};
}

const held = (source: StoredPart["source"], paymentId: string | null, amountMinor: bigint): StoredPart => ({
	...{ objectKind: "refund", objectId: "before", position: 0, state: "held", source, paymentId },
	...{ amountMinor, pendingMinor: 0n },
});

const taken = (has: Has, wanted: Parameters<typeof takeParts>[1]) =>
	takeParts(returnable(has), wanted).map(({ source, paymentId, amountMinor }) => [
		...[source, paymentId, Number(amountMinor)],
	]);

test("a refund made at the gateway takes what is not allocated first, then payments", () => {
	expect(
		taken({ payments: [30_000n, 50_000n] }, { of: "whole", amountMinor: 60_000n, paymentId: null }),
	).toEqual([
		["suspense", null, 20_000],
		["payment", "1", 30_000],
		["payment", "2", 10_000],
	]);
});

test("the excess of a refund of one payment is taken from what is not allocated, and then from other payments", () => {
	const parts = [held("payment", "2", 50_000n)];
	const has = { payments: [30_000n, 50_000n], parts };
	expect(taken(has, { of: "payment", amountMinor: 40_000n, paymentId: "2" })).toEqual([
		["suspense", null, 20_000],
		["payment", "1", 20_000],
	]);
});

test("what exceeds the whole receipt is of the wanted payment again, and only as pending as that is", () => {
	const parts = [held("payment", "2", 50_000n), held("suspense", null, 20_000n)];
	const has = { payments: [30_000n, 50_000n], parts };
	expect(taken(has, { of: "payment", amountMinor: 40_000n, paymentId: "2" })).toEqual([
		["payment", "1", 30_000],
		["payment", "2", 10_000],
	]);
});

test.each([
	["in suspense", {}, held("suspense", null, 100_000n)],
	["paid to the platform", { platformMinor: 100_000n }, held("unapplied", null, 100_000n)],
])("a receipt that is %s and is returned twice becomes debt of its tenant", (_where, has, before) => {
	expect(taken({ ...has, parts: [before] }, { of: "whole", amountMinor: 70_000n, paymentId: null })).toEqual([
		["payment", null, 70_000],
	]);
});

test("what is returned beyond a receipt for the platform is of the first other bill of which something is left, all of it (0120)", () => {
	const bills = [
		{ paymentId: "3", leftMinor: 50_000n },
		{ paymentId: "2", leftMinor: 100_000n },
	];
	const has = { platformMinor: 100_000n, parts: [held("income", "1", 100_000n)], bills };
	expect(taken(has, { of: "whole", amountMinor: 70_000n, paymentId: null })).toEqual([
		["income", "3", 70_000],
	]);
});
