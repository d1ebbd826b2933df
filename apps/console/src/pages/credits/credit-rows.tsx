import { DetailRows } from "../../layout/details.tsx";
import { useFormat } from "../../tenant/use-format.ts";
import type { Credit } from "./credit.queries.ts";
import { useCreditTexts } from "./texts.ts";

/** The amounts of a credit, in segments. */
export function CreditRows({ credit: { balance, reserved, available, threshold } }: { credit: Credit }) {
	const words = useCreditTexts();
	const format = useFormat();
	return (
		<DetailRows
			rows={[
				[words.balance, format.number(balance)],
				[words.reserved, format.number(reserved)],
				[words.available, format.number(available)],
				[words.threshold, format.number(threshold)],
			]}
		/>
	);
}
