import type { Sandbox } from "../sandbox.ts";
import { newReceipt } from "./receipt.ts";

type MovementKind =
	| "deposit"
	| "push"
	| "paybill"
	| "till"
	| "standing_order"
	| "payout"
	| "business"
	| "own_working"
	| "reversal"
	| "charge";

/**
 * Money that has moved from one account to another, in cents. It never changes, except that it is reversed.
 */
export type Movement = {
	receipt: string;
	at: string;
	kind: MovementKind;
	from: string;
	to: string;
	amountMinor: number;
	shortcode: string | null;
	phone: string | null;
	/** The account number that the payer gave. */
	reference: string | null;
	conversationId: string | null;
	originatorId: string | null;
	/** The receipt of the movement that this one reverses. */
	reverses: string | null;
	reversedBy: string | null;
	/** What the gateway charged for it, in cents: another movement, of kind `charge`. None: nothing. */
	chargeMinor?: number;
};

/** The balance of an account, in cents. */
export type Balance = { account: string; minor: number };

/** Of `charges` the gateway takes what it charges: it falls below zero. */
export type ShortcodeAccount = "utility" | "working" | "charges";

/** The names of accounts. The sum of all balances is always zero. */
export const accountOf = {
	phone: (msisdn: string) => `phone/${msisdn}`,
	shortcode: (shortcode: string, account: ShortcodeAccount) => `shortcode/${shortcode}/${account}`,
	/** Where deposits come from. */
	outside: "outside",
	/** What the gateway has charged. */
	charges: "charges",
};

type NewMovement = Pick<Movement, "kind" | "from" | "to" | "amountMinor"> &
	Partial<Omit<Movement, "at">> & { at: Date; ordinal: number; purpose?: string };

/** Moves money, under a new receipt that follows from the ordinal and the purpose. */
export function moveMoney(
	sandbox: Sandbox,
	{ ordinal, purpose = "receipt", at, ...members }: NewMovement,
): Movement {
	const { movements } = sandbox.tables;
	const receipt = members.receipt ?? newReceipt(sandbox, { ordinal, purpose, at });
	const movement = movements.put(receipt, {
		...{ shortcode: null, phone: null, reference: null, conversationId: null, originatorId: null },
		...{ reverses: null, reversedBy: null },
		...members,
		...{ receipt, at: at.toISOString() },
	});
	addTo(sandbox, movement.from, -movement.amountMinor);
	addTo(sandbox, movement.to, movement.amountMinor);
	sandbox.changes.publish(undefined);
	return movement;
}

/** The balance of an account, in cents; zero if nothing moved. */
export const balanceOf = ({ tables }: Sandbox, account: string): number =>
	tables.balances.get(account)?.minor ?? 0;

function addTo(sandbox: Sandbox, account: string, minor: number): void {
	sandbox.tables.balances.put(account, { account, minor: balanceOf(sandbox, account) + minor });
}
