import { Badge } from "../../layout/badge.tsx";
import type { Payout } from "./payout.queries.ts";
import { usePayoutTexts } from "./texts.ts";

const looks: Readonly<Record<Payout["status"], "done" | "warning" | "error" | "plain">> = {
	awaiting_approval: "warning",
	approved: "plain",
	submitting: "plain",
	unknown: "warning",
	needs_otp: "warning",
	in_flight: "plain",
	failed: "error",
	rejected: "plain",
	cancelled: "plain",
	paid: "done",
	reversed: "error",
};

/** The status of a payout. */
export function PayoutStatus({ status, needs_review }: Pick<Payout, "status" | "needs_review">) {
	const { statuses, review } = usePayoutTexts();
	return needs_review ? (
		<Badge kind="warning">{review}</Badge>
	) : (
		<Badge kind={looks[status]}>{statuses[status]}</Badge>
	);
}
