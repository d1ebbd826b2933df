import { Badge } from "../../layout/badge.tsx";
import type { Delivery } from "./delivery.queries.ts";
import { useWebhookTexts } from "./texts.ts";

const looks = { received: "warning", done: "done", ignored: "plain", parked: "error" } as const;

/** How far the treasury came with what a gateway sent. */
export function DeliveryStatus({ status }: Pick<Delivery, "status">) {
	const words = useWebhookTexts();
	return <Badge kind={looks[status]}>{words.statuses[status]}</Badge>;
}
