import type { Place } from "../ledger/place.ts";
import type { Purpose } from "../ledger/postings/posting.ts";

/**
 * What a statement is of, by its accounts of the tenant. The amounts of a statement are what they mean for
 * the tenant: a liability to it counts up, and what it owes counts down.
 */
export const statementCodes = {
	platform_custody: [
		...["tenant.pending", "tenant.available", "tenant.reserved", "tenant.refunding", "tenant.disputed"],
		...["tenant.fees_due", "tenant.debt"],
	],
	/** `suspense.*` is every shortcode of the tenant. */
	tenant_custody: ["tenant.mobile", "suspense.*"],
	unapplied: ["unapplied"],
	pending: ["tenant.pending"],
	available: ["tenant.available"],
	reserved: ["tenant.reserved"],
	refunding: ["tenant.refunding"],
	disputed: ["tenant.disputed"],
	fees_due: ["tenant.fees_due"],
	debt: ["tenant.debt"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type StatementOf = keyof typeof statementCodes;

/** The names of statements, as the routes take them. */
export const statementNames = Object.keys(statementCodes) as readonly StatementOf[];

/** A line of a statement: a posting of one of its accounts, and what they add up to after it. */
export type StatementLine = {
	place: Place;
	effectiveAt: Date;
	purpose: string;
	source: { type: string; id: string };
	/** The number that the gateway gave the movement; null: it has none, or not yet. */
	receipt: string | null;
	account: string;
	amountMinor: bigint;
	balanceMinor: bigint;
};

/** What the gateway charged the tenant's own shortcode. */
const charges: ReadonlySet<string> = new Set(["payout_charge", "refund_charge"] satisfies Purpose[]);

/**
 * Whether a line is a fee that the tenant bears: it lies on its own account until a payout deducts it, or the
 * gateway took it from the tenant's shortcode.
 */
export const isFee = ({ account, purpose }: Pick<StatementLine, "account" | "purpose">): boolean =>
	account === "tenant.fees_due" || charges.has(purpose);

/** The first and the last day of a statement, each in the tenant's time zone. */
export type Days = { from: string; to: string };

const dayMs = 86_400_000;
/** The longest statement, in days. */
export const daysMax = 400;
const defaultDays = 30;

/**
 * Completes the days of a request: `to` is today unless given, `from` the day 29 days earlier. Returns
 * undefined if `from` is after `to`.
 */
export function daysOf({ from, to }: Partial<Days>, today: string): Days | undefined {
	const last = to ?? today;
	const first = from ?? shiftDay(last, 1 - defaultDays);
	return first <= last ? { from: first, to: last } : undefined;
}

/** How many days a statement has. */
export const lengthOf = ({ from, to }: Days): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

function shiftDay(day: string, days: number): string {
	return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}

/** The day of an instant in a time zone, `YYYY-MM-DD`. */
export const dayIn = (timeZone: string, at: Date): string =>
	new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
		at,
	);

/** An amount in whole units of its currency, exact: -3500 in KES is `-35.00`. */
export function toDecimal(amountMinor: bigint, currency: string): string {
	const digits = digitsOf(currency);
	const text = String(amountMinor < 0n ? -amountMinor : amountMinor).padStart(digits + 1, "0");
	const sign = amountMinor < 0n ? "-" : "";
	const whole = text.slice(0, text.length - digits);
	return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`;
}

function digitsOf(currency: string): number {
	const format = new Intl.NumberFormat("en", { style: "currency", currency });
	return format.resolvedOptions().maximumFractionDigits ?? 2;
}
