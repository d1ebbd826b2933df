import { expect, test } from "vitest";
import type { CardGateway } from "../gateways/card-gateway/account.ts";
import { askForRefunds } from "./ask-for-refunds.ts";

const charge = { transaction: "1641", currency: "KES" };
const entry = (id: number, more: object = {}) => ({
	...{ id, status: "processed", amount: 100, currency: "KES", transaction: 1641, ...more },
});

/** Asks a gateway that lists these pages, whatever transaction it is asked about. */
function ask(...pages: object[][]) {
	let page = 0;
	const send: CardGateway["send"] = async (_request, read) => {
		const ids = read({ data: pages[page++] ?? [] });
		if (ids === undefined) throw new Error("the list was not read");
		return { is: "accepted", ids, raw: {} };
	};
	const settings = { capabilities: { list_refunds: true } };
	const gateway = { send, profile: { settings } } as unknown as CardGateway;
	return askForRefunds({ findCardGateway: async () => gateway }, charge);
}

const idsOf = (refunds: Awaited<ReturnType<typeof ask>>) => refunds?.map(({ id }) => id);

test("refunds of another transaction, or in another currency, are not those of a charge", async () => {
	const others = [entry(2, { transaction: 1642 }), entry(3, { currency: "UGX" })];
	expect(idsOf(await ask([entry(1), ...others, entry(4, { transaction: { id: 1641 } })]))).toEqual([
		"1",
		"4",
	]);
});

test("all pages are read", async () => {
	const hundred = Array.from({ length: 100 }, (_, index) => entry(index + 1));
	expect(idsOf(await ask(hundred, [entry(101)]))).toHaveLength(101);
});

test.each([
	["cannot be read", { status: null }],
	["names no transaction", { transaction: null }],
])("a list with an entry that %s does not count as an answer", async (_what, more) => {
	expect(await ask([entry(1), entry(2, more)])).toBeUndefined();
});
