import { useFormat } from "../../tenant/use-format.ts";
import type { JournalLine } from "./journal.queries.ts";
import { useJournalTexts } from "./texts.ts";

/** The lines of a journal, one below the other. */
export function JournalLines({ lines, currency }: { lines: readonly JournalLine[]; currency: string }) {
	const words = useJournalTexts();
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
