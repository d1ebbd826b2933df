import { Button, Notice } from "@lango/interface";
import { useState } from "react";
import { useFormat } from "../../../tenant/use-format.ts";
import { draftOf, shownVersion } from "../draft/draft.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";
import { DraftDifference } from "../versions/draft-difference.tsx";

/** Shown when another author changed the draft meanwhile: nothing that was typed is lost. */
export function ConflictNotice({ editing }: { editing: Editing }) {
	const { conflict: words } = useTemplateTexts();
	const format = useFormat();
	const [isCompared, setCompared] = useState(false);
	const { theirs, typed, save, take } = editing;
	if (theirs === undefined) return null;
	const at = shownVersion(theirs)?.updated_at;
	return (
		<div className="mb-6">
			<Notice kind="warning">
				<p className="font-semibold">{words.title}</p>
				<p className="mt-1">{at === undefined ? words.gone : words.text(format.time(at))}</p>
				<div className="mt-3 flex flex-wrap gap-3">
					<Button onClick={() => setCompared(!isCompared)} aria-expanded={isCompared}>
						{isCompared ? words.hide : words.compare}
					</Button>
					<Button busyText={save.isPending ? words.keeping : undefined} onClick={() => save.mutate(theirs)}>
						{words.keep}
					</Button>
					<Button onClick={() => take(theirs)}>{words.take}</Button>
				</div>
			</Notice>
			{isCompared && (
				<DraftDifference before={draftOf(theirs)} after={typed} names={[words.theirs, words.yours]} />
			)}
		</div>
	);
}
