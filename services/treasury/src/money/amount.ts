import Type from "typebox";

/** The largest amount that is taken or given, in lowest units (design: on the wire at most 10^12). */
export const amountMax = 1_000_000_000_000n;

/** The only currency of mobile money. */
export const mobileMoneyCurrency = "KES";

/** A currency on the wire (ISO 4217). */
export const Currency = Type.String({
	pattern: "^[A-Z]{3}$",
	description: "The currency (ISO 4217)",
	examples: ["KES"],
});

/** An amount of money on the wire: an integer of lowest units, more than 0. */
export const AmountMinor = Type.Integer({
	minimum: 1,
	maximum: Number(amountMax),
	description: "The amount in the lowest units of the currency",
	examples: [100_000],
});

/** A balance, a sum or a difference on the wire: an integer of lowest units of either sign. */
export const BalanceMinor = Type.Integer({
	description: "In the lowest units of the currency",
	examples: [100_000],
});

/** A value is not an amount. `field` names it, `message` says what is wrong. */
export class InvalidAmount extends Error {
	readonly field: string;

	constructor(field: string, problem: string) {
		super(`${field} ${problem}`);
		this.name = "InvalidAmount";
		this.field = field;
	}
}

/** Reads an amount of lowest units from a number or a text of digits. Throws `InvalidAmount`. */
export function readAmount(value: unknown, field: string): bigint {
	const amount = readInteger(value, field);
	if (amount < 1n) throw new InvalidAmount(field, "must be more than 0");
	if (amount > amountMax) throw new InvalidAmount(field, `must be at most ${amountMax}`);
	return amount;
}

function readInteger(value: unknown, field: string): bigint {
	if (typeof value === "bigint") return value;
	if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
	if (typeof value === "string" && /^-?\d{1,18}$/.test(value)) return BigInt(value);
	throw new InvalidAmount(field, "must be an integer of the lowest units of its currency");
}

const decimalForm = /^(\d{1,12})(?:[.,](\d{1,4}))?$/;

/** Reads an amount that a person types, such as "1500.50", in lowest units; undefined if it is not one. */
export function readDecimal(text: string, currency: string): bigint | undefined {
	const [, whole, part = ""] = decimalForm.exec(text.replaceAll(/\s/g, "")) ?? [];
	const digits =
		new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
	return whole === undefined || part.length > digits ? undefined : BigInt(whole + part.padEnd(digits, "0"));
}

/** The smaller one of two amounts. */
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Returns an amount, a balance or a difference as the integer of its wire format. Throws `InvalidAmount`
 * beyond 2^53.
 */
export function toMinor(amount: bigint, field = "amount_minor"): number {
	const value = Number(amount);
	if (!Number.isSafeInteger(value)) throw new InvalidAmount(field, "is too large for JSON");
	return value;
}
