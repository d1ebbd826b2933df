import { useFormat } from "../../tenant/use-format.ts";
import type { AdjustmentLine } from "./adjustment.queries.ts";
import { useAdjustmentTexts } from "./texts.ts";

/** The lines of a journal, one below the other. */
export function JournalLines({ lines, currency }: { lines: readonly AdjustmentLine[]; currency: string }) {
	const words = useAdjustmentTexts();
	const format = useFormat();
	return (
		<ul>
			{lines.map(({ side, owner, code, amount_minor }) => (
				<li key={`${side} ${owner} ${code}`}>
					<span className="text-quiet">{words.sides[side]}</span> <code>{code}</code>{" "}
					<span className="tabular-nums">{format.money(amount_minor, currency)}</span>
				</li>
			))}
		</ul>
	);
}
