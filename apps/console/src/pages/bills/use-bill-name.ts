import type { Bill } from "../subscribe/payment/bill.queries.ts";
import { useBillTexts } from "./texts.ts";

/** Returns what a bill is for. */
export function useBillName(): (bill: Pick<Bill, "operation_kind">) => string {
	const { kinds, otherKind } = useBillTexts();
	return ({ operation_kind: kind }) =>
		kind !== null && Object.hasOwn(kinds, kind) ? kinds[kind as keyof typeof kinds] : otherKind;
}
