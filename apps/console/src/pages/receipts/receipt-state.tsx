import { Badge } from "../../layout/badge.tsx";
import type { Receipt } from "./receipt.queries.ts";
import { useReceiptTexts } from "./texts.ts";

/** The state of a receipt. */
export function ReceiptState({ state }: Pick<Receipt, "state">) {
	const { states } = useReceiptTexts();
	return <Badge kind={state === "allocated" ? "done" : "warning"}>{states[state]}</Badge>;
}
