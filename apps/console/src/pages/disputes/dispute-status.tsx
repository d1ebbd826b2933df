import { Badge } from "../../layout/badge.tsx";
import type { Dispute } from "./dispute.queries.ts";
import { useDisputeTexts } from "./texts.ts";

const looks = { open: "warning", reminded: "warning", won: "done", lost: "error" } as const;

/** The status of a dispute. */
export function DisputeStatus({ status }: Pick<Dispute, "status">) {
	return <Badge kind={looks[status]}>{useDisputeTexts().statuses[status]}</Badge>;
}
