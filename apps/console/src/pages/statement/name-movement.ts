import { wordFor } from "../../texts/texts.ts";

type Words = { purposes: Readonly<Record<string, string>>; fee: string };

/**
 * The name of a movement: one of `tenant.fees_due` is a fee, whatever caused it; what the gateway charged a
 * shortcode has a purpose of its own.
 */
export const nameMovement = (
	{ purpose, account }: { purpose: string; account: string },
	{ purposes, fee }: Words,
): string => (account === "tenant.fees_due" ? fee : wordFor(purposes, purpose));
