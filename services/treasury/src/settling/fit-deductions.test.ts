import { expect, test } from "vitest";
import { fitDeductions } from "./fit-deductions.ts";

const all = (...amounts: bigint[]) =>
	amounts.map((amountMinor, at) => ({ kind: "refund" as const, id: String(at), amountMinor }));
const chosen = (amountMinor: bigint, ...amounts: bigint[]) =>
	fitDeductions(all(...amounts), amountMinor)?.map(({ id }) => id);

type Asked = { amountMinor: bigint; of: bigint[] };

test.each<[title: string, asked: Asked, ids: string[] | undefined]>([
	["the oldest are chosen if they come to it", { amountMinor: 500n, of: [200n, 300n, 500n] }, ["0", "1"]],
	["one that was learned late is found", { amountMinor: 500n, of: [100n, 300n, 400n] }, ["0", "2"]],
	["the older of equal ones is chosen", { amountMinor: 300n, of: [200n, 300n, 300n] }, ["1"]],
	["nothing comes to the amount", { amountMinor: 50n, of: [100n, 300n] }, undefined],
	["all together are too little", { amountMinor: 500n, of: [100n, 300n] }, undefined],
	["there is nothing to choose from", { amountMinor: 500n, of: [] }, undefined],
])("%s", (_, { amountMinor, of }, ids) => {
	expect(chosen(amountMinor, ...of)).toEqual(ids);
});

test("too many sums are not tried", () => {
	const powers = Array.from({ length: 20 }, (_, at) => 2n ** BigInt(at) * 2n);
	expect(chosen(2n ** 21n + 1n, ...powers)).toBeUndefined();
});
