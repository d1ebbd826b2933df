import type { Gateway } from "../gateway.ts";
import type { Account, Movement } from "./movement.ts";

/** Notes a movement now; one of 0 is left out. */
export function move(
	{ store, now }: Gateway,
	{ account, currency, amount, kind, subject }: Omit<Movement, "ordinal" | "at">,
): void {
	if (amount === 0) return;
	const at = now().toISOString();
	store.add("movements", (ordinal) => ({ ordinal, at, account, currency, amount, kind, subject }));
}

type Balances = Record<string, Record<Account, number>>;

/** What is in each account, by currency. */
export function balancesOf({ store }: Gateway): Balances {
	const balances: Balances = {};
	for (const { account, currency, amount } of store.list("movements")) {
		const of = balances[currency] ?? { unsettled: 0, balance: 0, bank: 0, fees: 0 };
		of[account] += amount;
		balances[currency] = of;
	}
	return balances;
}
