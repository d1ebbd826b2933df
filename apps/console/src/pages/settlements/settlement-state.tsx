import { Badge } from "../../layout/badge.tsx";
import type { Settlement } from "./settlement.queries.ts";
import { useSettlementTexts } from "./texts.ts";

const looks = { announced: "plain", paid: "warning", matched: "done" } as const;

/** How far the charges of a settlement are matched with receipts. */
export function SettlementState({ state }: Pick<Settlement, "state">) {
	const words = useSettlementTexts();
	return <Badge kind={looks[state]}>{words.states[state]}</Badge>;
}
