import { Badge } from "../../layout/badge.tsx";
import type { Receipt } from "./receipt.queries.ts";
import { useReceiptTexts } from "./texts.ts";

/** The state of what a payer paid. What was paid out or returned has none. */
export function ReceiptState({ receipt: { kind, state } }: { receipt: Pick<Receipt, "kind" | "state"> }) {
	const { states } = useReceiptTexts();
	if (kind !== "collection") return "–";
	return <Badge kind={state === "allocated" ? "done" : "warning"}>{states[state]}</Badge>;
}
