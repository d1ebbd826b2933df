import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { type Reading, unreadable } from "../../../inbox/reading.ts";
import { mobileMoneyCurrency } from "../../../money/amount.ts";
import { maskPhone, readPhone } from "../../../money/phone.ts";
import { saidByPushCode } from "../../../outcomes/collecting/push-code.ts";
import type { Said } from "../../../outcomes/evidence/evidence.ts";
import { readTime } from "./read-time.ts";

/** Reads the callback of a push prompt (payments text §3, §4.3). A failed one has no metadata. */
export function readPush(body: unknown): Reading {
	const callback = memberAt(body, "Body", "stkCallback");
	const code = textOf(memberAt(callback, "ResultCode"));
	const checkoutRequestId = textOf(memberAt(callback, "CheckoutRequestID"));
	if (code === undefined || checkoutRequestId === undefined) return unreadable;
	const items = readItems(memberAt(callback, "CallbackMetadata", "Item"));
	const phone = readPhone(items.get("phonenumber"));
	return {
		kind: "attempt",
		statement: {
			...{ reference: undefined, checkoutRequestId, phone, eventKey: undefined },
			merchantRequestId: textOf(memberAt(callback, "MerchantRequestID")),
			said: saidByPushCode(code) ?? paidOf(items, phone),
		},
	};
}

const paidOf = (items: ReadonlyMap<string, unknown>, phone: string | undefined): Said => ({
	kind: "paid",
	amountMinor: readDecimal(items.get("amount")),
	currency: mobileMoneyCurrency,
	receipt: receiptOf(items),
	paidAt: readTime(items.get("transactiondate")),
	payerMasked: phone === undefined ? undefined : maskPhone(phone),
});

/** `MobileMoneyReceiptNumber` (payments text §4.3); gateways put their own name before it. */
function receiptOf(items: ReadonlyMap<string, unknown>): string | undefined {
	const [, value] = [...items].find(([name]) => name.endsWith("receiptnumber")) ?? [];
	return textOf(value);
}

/** The metadata by lower-case names. An item may lack its value, and one item may stand without a list. */
function readItems(items: unknown): ReadonlyMap<string, unknown> {
	const list = Array.isArray(items) ? items : [items];
	const named = list.flatMap((item) => {
		const name = textOf(memberAt(item, "Name"));
		return name === undefined ? [] : [[name.toLowerCase(), memberAt(item, "Value")] as const];
	});
	return new Map(named);
}
