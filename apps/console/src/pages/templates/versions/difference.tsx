import { useTemplateTexts } from "../draft/texts.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";

const looks = {
	same: "",
	removed: "bg-error-wash text-error",
	added: "bg-done-wash text-done",
} as const;
const signs = { same: " ", removed: "−", added: "+" } as const;

type Difference = { title: string; before: string; after: string };

/** What was removed and added between two texts, line by line. */
export function Difference({ title, before, after }: Difference) {
	const words = useTemplateTexts();
	return (
		<section aria-label={title} className="mt-4">
			<p className="mb-1 font-semibold wrap-anywhere">{title}</p>
			<ol className="overflow-hidden rounded-lg border border-hair bg-field py-2 font-mono text-base">
				{diffLines(before, after).map((line, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity, and do not move
					<Line key={at} line={line} names={words.lineKinds} />
				))}
			</ol>
		</section>
	);
}

type Line = { line: DiffLine; names: Readonly<Record<"removed" | "added", string>> };

function Line({ line: { kind, text }, names }: Line) {
	return (
		<li className={`flex gap-2 px-3 ${looks[kind]}`}>
			<span aria-hidden="true" className="select-none">
				{signs[kind]}
			</span>
			{kind !== "same" && <span className="sr-only">{names[kind]}</span>}
			<span className="whitespace-pre-wrap wrap-anywhere">{text}</span>
		</li>
	);
}
