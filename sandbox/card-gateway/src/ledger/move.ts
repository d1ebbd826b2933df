import type { Gateway } from "../gateway.ts";
import type { Account, Movement } from "./movement.ts";

/** Notes a movement now, and changes the balance of its account; one of 0 is left out. */
export function move(
	{ store, now }: Gateway,
	{ account, currency, amount, kind, subject }: Omit<Movement, "ordinal" | "at">,
): void {
	if (amount === 0) return;
	const at = now().toISOString();
	store.add("movements", (ordinal) => ({ ordinal, at, account, currency, amount, kind, subject }));
	const name = `${currency} ${account}`;
	const found = store.find("accounts", "name", name);
	if (found === undefined) store.add("accounts", (ordinal) => ({ ordinal, name, account, currency, amount }));
	else store.change("accounts", found, { amount: found.amount + amount });
}

/** The account from which payers get their money back: one that settles into its balance has it there. */
export const returnsFrom = ({ settings }: Gateway): Account =>
	settings.settlesTo === "balance" ? "balance" : "unsettled";

/** What is in one account. */
export const balanceOf = ({ store }: Gateway, account: Account, currency: string): number =>
	store.find("accounts", "name", `${currency} ${account}`)?.amount ?? 0;

/** What is in each account, by currency. */
export function balancesOf({ store }: Gateway): Record<string, Record<Account, number>> {
	const balances: Record<string, Record<Account, number>> = {};
	for (const { account, currency, amount } of store.list("accounts"))
		balances[currency] = {
			...(balances[currency] ?? { unsettled: 0, balance: 0, bank: 0, fees: 0 }),
			[account]: amount,
		};
	return balances;
}
