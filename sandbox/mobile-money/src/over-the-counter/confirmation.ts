import { otherPhone, phoneOf } from "../accounts/phone.ts";
import { type Changes, sendCallback } from "../callbacks/send-callback.ts";
import { accountOf, balanceOf, type Movement } from "../ledger/movement.ts";
import { printAmount, printStamp } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";

type Confirmed = { movement: Movement; ordinal: number; thirdPartyId?: string };

/**
 * Notifies the owner of a shortcode of a payment, if URLs are registered. It cannot be refused. That of a
 * till names no account, even if a prompt did.
 */
export async function sendConfirmation(sandbox: Sandbox, confirmed: Confirmed): Promise<void> {
	const { movement, ordinal } = confirmed;
	const url = sandbox.tables.shortcodes.get(movement.shortcode ?? "")?.urls?.confirmation;
	if (url === undefined) return;
	await sendCallback(sandbox, {
		...{ operation: "confirmation", ordinal, url },
		body: (changes) => toConfirmation(sandbox, confirmed, changes),
		forged: () =>
			toConfirmation(sandbox, { ...confirmed, movement: { ...movement, receipt: "FORGED0000" } }, {}),
	});
}

function toConfirmation(
	sandbox: Sandbox,
	{ movement, thirdPartyId = "" }: Confirmed,
	{ isMutated, hasWrongPhone }: Changes,
): object {
	const shortcode = movement.shortcode ?? "";
	const payer = movement.phone ?? "";
	const phone = hasWrongPhone === true ? otherPhone(payer) : payer;
	const isTill = sandbox.tables.shortcodes.get(shortcode)?.kind !== "paybill";
	return {
		TransactionType: isTill ? "Buy Goods" : "Pay Bill",
		TransID: movement.receipt,
		TransTime: printStamp(new Date(movement.at)),
		TransAmount: printAmount(isMutated === true ? movement.amountMinor + 100 : movement.amountMinor),
		BusinessShortCode: shortcode,
		BillRefNumber: isTill ? "" : (movement.reference ?? ""),
		InvoiceNumber: "",
		OrgAccountBalance: printAmount(balanceOf(sandbox, accountOf.shortcode(shortcode, "utility"))),
		ThirdPartyTransID: thirdPartyId,
		MSISDN: `${phone.slice(0, 4)} ***** ${phone.slice(-3)}`,
		FirstName: phoneOf(sandbox, payer).firstName.toUpperCase(),
		MiddleName: "",
		LastName: "",
	};
}
