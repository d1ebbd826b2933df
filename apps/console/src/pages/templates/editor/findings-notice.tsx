import { Button, Notice } from "@lango/interface";
import { type ContentPlace, placeKey } from "../draft/draft.ts";
import { useFindingText } from "../draft/finding-text.ts";
import type { Finding } from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";

/** What is wrong in the saved draft, with a way to each place. */
export function FindingsNotice({
	editing: { findings, typed },
	onChoose,
}: {
	editing: Editing;
	onChoose: (place: ContentPlace) => void;
}) {
	const words = useTemplateTexts();
	const textOf = useFindingText();
	if (findings.length === 0) return null;
	const contentOf = ({ place }: Finding) =>
		typed.contents.find(
			(content) => place === placeKey(content) || place.startsWith(`${placeKey(content)}.`),
		);
	return (
		<div className="mb-6">
			<Notice kind="warning">
				<p className="font-semibold">{words.findings(findings.length)}</p>
				<ul className="mt-2 grid gap-1">
					{findings.map((finding) => {
						const content = contentOf(finding);
						return (
							<li key={`${finding.place} ${finding.reason}`} className="wrap-anywhere">
								{content === undefined ? (
									<span className="font-mono">{finding.place}</span>
								) : (
									<Button kind="quiet" onClick={() => onChoose(content)}>
										<span className="font-mono">{finding.place}</span>
									</Button>
								)}
								: {textOf(finding)}
							</li>
						);
					})}
				</ul>
			</Notice>
		</div>
	);
}

/** Returns a function that says what is wrong at a place, as one text. */
export function useReasonAt(findings: readonly Finding[]): (place: string) => string | undefined {
	const textOf = useFindingText();
	return (place) => {
		const reasons = findings.filter((finding) => finding.place === place).map(textOf);
		return reasons.length === 0 ? undefined : reasons.join(" ");
	};
}
