import { after, dayMs, type Gateway, hourMs } from "../gateway.ts";
import { move, returnsFrom } from "../ledger/move.ts";
import {
	type Dispute,
	type Refund,
	type Settlement,
	type Transaction,
	unsettled,
} from "../records/tables.ts";

/** What one settlement takes together. */
type Due = { charges: Transaction[]; refunds: Refund[]; disputes: Dispute[] };

/** A settlement is paid out this long after it was made: at 08:00 UTC. */
const payOutAfterMs = 7 * hourMs;
/** The fault `settlement_fee_error`: each charge costs more than its webhook said. */
const feeErrorAmount = 100;

/**
 * Settles the charges of a currency that were paid `settlementDays` ago or earlier; `isAll`: every one.
 * Returns undefined if there are none, or if refunds and lost disputes use up what they come to.
 */
export function settle(gateway: Gateway, currency: string, { isAll = false } = {}): Settlement | undefined {
	const today = Math.floor(gateway.now().getTime() / dayMs) * dayMs;
	const limit = new Date(today - (gateway.settings.settlementDays - 1) * dayMs).toISOString();
	const due = findDue(gateway, currency, (paidAt) => isAll || paidAt < limit);
	if (due.charges.length === 0 || netOf(due) < 0) return undefined;
	const made = addSettlement(gateway, { currency, due, date: new Date(today).toISOString() });
	const of = { settlementId: made.id };
	for (const charge of due.charges) gateway.store.change("transactions", charge, of);
	for (const refund of due.refunds) gateway.store.change("refunds", refund, of);
	for (const dispute of due.disputes) gateway.store.change("disputes", dispute, of);
	return made;
}

/** What was charged, less fees, refunds and lost disputes. */
const netOf = ({ charges, refunds, disputes }: Due): number =>
	sum(charges, ({ amount, fees }) => amount - (fees ?? 0)) -
	sum([...refunds, ...disputes], ({ amount }) => amount);

function sum<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
	return items.reduce((total, item) => total + amountOf(item), 0);
}

function findDue(gateway: Gateway, currency: string, isDue: (paidAt: string) => boolean): Due {
	const { store } = gateway;
	const isOf = (row: { currency: string }) => row.currency === currency;
	const charges = store
		.listOf("transactions", "settlement", unsettled)
		.filter((row) => isOf(row) && isDue(row.paidAt ?? ""));
	if (returnsFrom(gateway) === "balance") return { charges, refunds: [], disputes: [] };
	return {
		charges,
		refunds: store.listOf("refunds", "settlement", unsettled).filter(isOf),
		disputes: store.listOf("disputes", "settlement", unsettled).filter(isOf),
	};
}

type NewSettlement = { currency: string; due: Due; date: string };

function addSettlement(gateway: Gateway, { currency, due, date }: NewSettlement): Settlement {
	const at = gateway.now().toISOString();
	const corrections = findCorrections(gateway, due.charges);
	const extra = sum(Object.values(corrections), (amount) => amount);
	const made = gateway.store.add("settlements", (ordinal) => ({
		ordinal,
		id: 3_090_000 + ordinal,
		status: "pending",
		currency,
		processed: sum(due.charges, ({ amount }) => amount),
		fees: sum(due.charges, ({ fees }) => fees ?? 0) + extra,
		deductions: sum([...due.refunds, ...due.disputes], ({ amount }) => amount),
		corrections,
		date,
		createdAt: at,
		updatedAt: at,
	}));
	const of = { currency, kind: "fee", subject: String(made.id) } as const;
	move(gateway, { ...of, account: "unsettled", amount: -extra });
	move(gateway, { ...of, account: "fees", amount: extra });
	gateway.plan("pay_out_settlement", made.id, after(at, payOutAfterMs));
	return made;
}

function findCorrections(gateway: Gateway, charges: readonly Transaction[]): Settlement["corrections"] {
	if (gateway.takeFault("settle", "settlement_fee_error") === undefined) return {};
	return Object.fromEntries(charges.map(({ id }) => [id, feeErrorAmount]));
}

/** What a settlement pays out. */
export const effectiveAmount = ({ processed, fees, deductions }: Settlement): number =>
	processed - fees - deductions;

/** Moves the money of a settlement to the bank account, or to the transfer balance. */
export function payOutSettlement(gateway: Gateway, id: string | number): void {
	const { store, settings, now } = gateway;
	const settlement = store.get("settlements", "id", id);
	if (settlement.status === "success") return;
	store.change("settlements", settlement, { status: "success", updatedAt: now().toISOString() });
	const of = { currency: settlement.currency, kind: "settlement", subject: String(id) } as const;
	const amount = effectiveAmount(settlement);
	move(gateway, { ...of, account: "unsettled", amount: -amount });
	move(gateway, { ...of, account: settings.settlesTo, amount });
}

/** Settles and pays out all charges of every currency now. */
export function settleNow(gateway: Gateway): Settlement[] {
	const charged = gateway.store.listOf("transactions", "settlement", unsettled);
	const currencies = [...new Set(charged.map(({ currency }) => currency))];
	return currencies.flatMap((currency) => {
		const made = settle(gateway, currency, { isAll: true });
		if (made === undefined) return [];
		payOutSettlement(gateway, made.id);
		return [gateway.store.get("settlements", "id", made.id)];
	});
}
