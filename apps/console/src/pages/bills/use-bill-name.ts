import { Badge } from "../../layout/badge.tsx";
import type { Bill } from "../subscribe/payment/bill.queries.ts";
import { useBillTexts } from "./texts.ts";

const looks = {
	requires_payment: "warning",
	processing: "warning",
	partially_paid: "warning",
	succeeded: "done",
	expired: "plain",
	cancelled: "plain",
} as const;

/** The status of a bill. */
export function BillStatus({ status }: Pick<Bill, "status">) {
	const words = useBillTexts();
	return <Badge kind={looks[status]}>{words.statuses[status]}</Badge>;
}

/** Returns what a bill is for. */
export function useBillName(): (bill: Pick<Bill, "operation_kind">) => string {
	const { kinds, otherKind } = useBillTexts();
	return ({ operation_kind: kind }) =>
		kind !== null && Object.hasOwn(kinds, kind) ? kinds[kind as keyof typeof kinds] : otherKind;
}
