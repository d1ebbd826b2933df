import { msisdnPattern } from "../accounts/phone.ts";
import { invalidField, refusals } from "./refusal.ts";

/** A member of a request: how the reference describes it, and how it is read. Undefined: it is wrong. */
export type Field<T> = { schema: object; read(value: unknown): T | undefined };
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What is read from the members. */
export type Body<F extends Fields> = { [K in keyof F]: Exclude<ReturnType<F[K]["read"]>, undefined> };

/**
 * Reads the members of a body in the order of the table. Throws `Refusal` at the first that is wrong. Members
 * that are not in the table are ignored.
 */
export function readBody<F extends Fields>(fields: F, body: unknown): Body<F> {
	if (typeof body !== "object" || body === null || Array.isArray(body)) throw refusals.payload();
	const read = Object.entries(fields).map(([name, field]) => {
		const value = field.read((body as Record<string, unknown>)[name]);
		if (value === undefined) throw invalidField(name);
		return [name, value];
	});
	return Object.fromEntries(read);
}

const digits = (value: unknown): string | undefined =>
	(typeof value === "string" || typeof value === "number") && /^\d+$/.test(String(value))
		? String(value)
		: undefined;

const amountMax = 250_000;
const refusedWords = /exe|exec|cmd|sql|query/i;

/** Text of at most this many characters, not empty. */
export const text = (maxLength: number): Field<string> => ({
	schema: { type: "string", minLength: 1, maxLength },
	read: (value) => {
		const read = typeof value === "number" ? String(value) : value;
		return typeof read === "string" && read.trim() !== "" && read.length <= maxLength ? read : undefined;
	},
});

/** A member that may be missing or empty; it is then null. */
export const optional = <T>({ schema, read }: Field<T>): Field<T | null> => ({
	schema: { ...schema, "x-optional": true },
	read: (value) => (value === undefined || value === null || value === "" ? null : read(value)),
});

/** One of these words. */
export const oneOf = <T extends string>(...words: readonly T[]): Field<T> => ({
	schema: { type: "string", enum: words },
	read: (value) => words.find((word) => word === String(value)),
});

/** Whole shillings as text or number, 1 to 250,000; read as cents. */
export const amount: Field<number> = {
	schema: { type: ["string", "integer"], description: "Whole shillings, 1 to 250000." },
	read: (value) => {
		const shillings = Number(digits(value) ?? Number.NaN);
		return shillings >= 1 && shillings <= amountMax ? shillings * 100 : undefined;
	},
};

/** Whole shillings as text or number, or 0: the payer types the amount. */
export const openAmount: Field<number> = {
	schema: { type: ["string", "integer"], description: "Whole shillings to 250000; 0: the payer types them." },
	read: (value) => (digits(value) === "0" ? 0 : amount.read(value)),
};

/** A phone number as the gateway takes it: 254712345678, as text or number. */
export const msisdn: Field<string> = {
	schema: { type: ["string", "integer"], pattern: msisdnPattern.source },
	read: (value) => {
		const read = digits(value);
		return read !== undefined && msisdnPattern.test(read) ? read : undefined;
	},
};

/** A shortcode or a till number. */
export const number: Field<string> = {
	schema: { type: ["string", "integer"], pattern: "^\\d{5,9}$" },
	read: (value) => {
		const read = digits(value);
		return read !== undefined && read.length >= 5 && read.length <= 9 ? read : undefined;
	},
};

/** A phone or a till. */
export const party: Field<string> = {
	schema: { type: ["string", "integer"], description: "A phone number, or the number of a personal till." },
	read: (value) => msisdn.read(value) ?? number.read(value),
};

/** `YYYYMMDDHHMMSS`, Africa/Nairobi. */
export const stamp: Field<string> = {
	schema: { type: "string", pattern: "^\\d{14}$" },
	read: (value) => {
		const read = digits(value);
		return read !== undefined && /^\d{14}$/.test(read) ? read : undefined;
	},
};

/** An address that the gateway calls. Some words in it are refused, as the real gateway does. */
export const url: Field<string> = {
	schema: { type: "string", format: "uri", description: "Without exe, exec, cmd, sql or query in it." },
	read: (value) => {
		if (typeof value !== "string" || !URL.canParse(value) || refusedWords.test(value)) return undefined;
		return /^https?:$/.test(new URL(value).protocol) ? value : undefined;
	},
};
