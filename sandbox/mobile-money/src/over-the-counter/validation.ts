import { phoneOf } from "../accounts/phone.ts";
import type { Shortcode } from "../accounts/shortcode.ts";
import { printStamp } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import type { CounterPayment } from "./pay-over-the-counter.ts";

type Asked = { payment: CounterPayment; shortcode: Shortcode; receipt: string; at: Date };

/** `0`: it may be paid. `thirdPartyId` comes back in the confirmation. */
type Validated = { code: string; thirdPartyId: string };

/**
 * Asks the validation URL of the shortcode. Without an answer the registered `ResponseType` decides. Where no
 * URLs are registered, everything may be paid.
 */
export async function validate(sandbox: Sandbox, asked: Asked): Promise<Validated> {
	const { urls } = asked.shortcode;
	if (urls === null) return { code: "0", thirdPartyId: "" };
	const { ordinal } = asked.payment;
	const isFault = (fault: "drop" | "delay") =>
		sandbox.faults.take({ operation: "validation", ordinal, faults: [fault] });
	const { body } = await sandbox.deliveries.send({
		...{ operation: "validation", url: urls.validation, isDropped: isFault("drop") !== undefined },
		...{ headers: { "content-type": "application/json" }, afterMs: isFault("delay")?.ms ?? 0 },
		body: JSON.stringify(toValidation(sandbox, asked)),
	});
	return readValidation(body) ?? { code: urls.responseType === "Completed" ? "0" : "1", thirdPartyId: "" };
}

function toValidation(sandbox: Sandbox, { payment, shortcode, receipt, at }: Asked): object {
	const { phone } = payment;
	const { firstName, lastName } = phoneOf(sandbox, phone);
	return {
		TransactionType: shortcode.kind === "paybill" ? "Pay Bill" : "Buy Goods",
		TransID: receipt,
		TransTime: printStamp(at),
		TransAmount: String(payment.amountMinor / 100),
		BusinessShortCode: shortcode.shortcode,
		BillRefNumber: payment.reference,
		InvoiceNumber: "",
		OrgAccountBalance: "",
		ThirdPartyTransID: "",
		MSISDN: `${phone.slice(0, 5)}****${phone.slice(-3)}`,
		FirstName: firstName,
		MiddleName: "",
		LastName: lastName,
	};
}

/** The code is text or a number, `0` or `C2B00012`; anything else counts as a missing answer. */
function readValidation(body: string): Validated | undefined {
	try {
		const { ResultCode: code, ThirdPartyTransID: id } = Object(JSON.parse(body));
		if (!/^(0|C2B\d{5})$/.test(String(code))) return undefined;
		return { code: String(code), thirdPartyId: typeof id === "string" ? id.slice(0, 100) : "" };
	} catch {
		return undefined; // It is not JSON.
	}
}
