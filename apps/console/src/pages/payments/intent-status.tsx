import { Badge } from "../../layout/badge.tsx";
import { usePayingTexts } from "./texts.ts";

const looks = {
	requires_payment: "warning",
	processing: "warning",
	partially_paid: "warning",
	succeeded: "done",
	expired: "plain",
	cancelled: "plain",
} as const;

/** The states of what is to be paid, in their order. */
export const intentStatuses = Object.keys(looks) as readonly IntentStatus[];
export type IntentStatus = keyof typeof looks;

const open: ReadonlySet<IntentStatus> = new Set(["requires_payment", "processing", "partially_paid"]);

/** Whether it can still be paid. */
export const isOpen = ({ status }: { status: IntentStatus }): boolean => open.has(status);

/** The status of a bill or of an intent. */
export function IntentStatusBadge({ status }: { status: IntentStatus }) {
	const words = usePayingTexts();
	return <Badge kind={looks[status]}>{words.statuses[status]}</Badge>;
}
