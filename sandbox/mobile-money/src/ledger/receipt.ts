import type { Sandbox } from "../sandbox.ts";
import { toNairobi } from "./text.ts";

type Of = { ordinal: number; purpose: string; at: Date };

const days = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
const firstYear = 2006;

/**
 * A receipt that no movement has: a letter for the year and the month, a sign for the day, then seven that
 * follow from the seed.
 */
export function newReceipt({ ids, tables: { movements } }: Sandbox, { ordinal, purpose, at }: Of): string {
	for (let n = 0; ; n += 1) {
		const receipt = `${dayOf(at)}${toBase36(ids.hex(ordinal, `${purpose} ${n}`, 12))}`;
		if (movements.get(receipt) === undefined) return receipt;
	}
}

/** The placeholder for the receipt in a result, where no money moved. */
export const placeholderReceipt = (at: Date): string => `${dayOf(at)}0000000`;

function dayOf(at: Date): string {
	const { year, month, day } = toNairobi(at);
	return `${letter((year - firstYear) % 26)}${letter(month - 1)}${days[day]}`;
}

const letter = (index: number) => String.fromCharCode(65 + index);
const toBase36 = (hex: string) => BigInt(`0x${hex}`).toString(36).toUpperCase().padStart(7, "0").slice(-7);
