import { useUnsaved } from "@lango/interface";
import { useState } from "react";
import { Card } from "../../../layout/section.tsx";
import { type ContentPlace, findContent } from "../draft/draft.ts";
import type { Place, Template } from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import { useDraft } from "../draft/use-draft.ts";
import { PreviewPanel } from "../preview/preview-panel.tsx";
import { CompareSection } from "../versions/compare-section.tsx";
import { EndOverride } from "../versions/end-override.tsx";
import { VersionsSection } from "../versions/versions-section.tsx";
import { ActionBar } from "./action-bar.tsx";
import { ConflictNotice } from "./conflict-notice.tsx";
import { ContentFields } from "./content-fields.tsx";
import { ContentPicker } from "./content-picker.tsx";
import { FindingsNotice } from "./findings-notice.tsx";
import { VariablesSection } from "./variables-section.tsx";

/** A template that is edited: contents with a preview, variables with samples, differences and versions. */
export function TemplateEditor({ place, template }: { place: Place; template: Template }) {
	const words = useTemplateTexts();
	const editing = useDraft(place, template);
	const { typed, base, isChanged } = editing;
	useUnsaved({ isChanged });
	const [chosen, setChosen] = useState<ContentPlace>();
	const content = findContent(typed, chosen) ?? typed.contents[0];
	return (
		<>
			<ConflictNotice editing={editing} />
			<FindingsNotice editing={editing} onChoose={setChosen} />
			<ContentPicker editing={editing} chosen={content} onChoose={setChosen} />
			{content === undefined ? (
				<p className="text-quiet">{words.noContents}</p>
			) : (
				<div className="grid items-start gap-5 xl:grid-cols-2">
					<Card title={words.text}>
						<ContentFields key={`${content.channel}.${content.locale}`} editing={editing} content={content} />
					</Card>
					<Card title={words.preview}>
						<PreviewPanel editing={editing} content={content} />
					</Card>
				</div>
			)}
			<VariablesSection editing={editing} />
			<ActionBar editing={editing} content={content} />
			<CompareSection editing={editing} content={content} />
			<VersionsSection place={place} origin={base.origin} onRolledBack={editing.adopt} />
			<EndOverride editing={editing} />
		</>
	);
}
