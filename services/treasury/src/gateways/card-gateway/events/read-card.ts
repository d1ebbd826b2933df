import { memberAt, textOf } from "../../../inbox/read-body.ts";
import type { ChargedCard } from "../../../outcomes/evidence/card-evidence.ts";

/** Reads the card of a charge; undefined unless it can be charged again. Never throws. */
export function readCard(charge: unknown): ChargedCard | undefined {
	const card = memberAt(charge, "authorization");
	const [code, brand, last4] = ["authorization_code", "brand", "last4"].map((name) =>
		textOf(memberAt(card, name)),
	);
	const customerCode = textOf(memberAt(charge, "customer", "customer_code"));
	const expMonth = Number(textOf(memberAt(card, "exp_month")));
	const expYear = Number(textOf(memberAt(card, "exp_year")));
	if (memberAt(card, "reusable") !== true || memberAt(card, "channel") !== "card") return undefined;
	if (code === undefined || brand === undefined || customerCode === undefined) return undefined;
	if (!/^\d{4}$/.test(last4 ?? "") || !isMonth(expMonth) || !isYear(expYear)) return undefined;
	return { code, customerCode, brand: brand.trim().toLowerCase(), last4: last4 ?? "", expMonth, expYear };
}

const isMonth = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 12;
const isYear = (value: number): boolean => Number.isInteger(value) && value >= 2000 && value <= 2200;
