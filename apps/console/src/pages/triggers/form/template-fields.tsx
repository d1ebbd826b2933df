import { Button, ChoiceField, SelectField } from "@lango/interface";
import { CheckList } from "../../../fields/check-list.tsx";
import { useWholeList } from "../../../lists/searched-list.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import {
	type Channel,
	type TemplateSummary,
	templatesAddress,
	templatesKey,
} from "../../templates/draft/templates.queries.ts";
import { useTemplateTexts } from "../../templates/draft/texts.ts";
import { useTriggerTexts } from "../state/texts.ts";
import type { Part } from "./part.ts";
import type { FilledTemplate, TriggerDraft } from "./trigger-draft.ts";

type TemplateFields = Part & { scope: ServiceScope; template: FilledTemplate | undefined };

/** The template of a rule, and the channels for which it has a text. */
export function TemplateFields({ draft, change, at, scope, template }: TemplateFields) {
	const { form: words } = useTriggerTexts();
	const { channelNames } = useTemplateTexts();
	const ofTenant = { ...scope, isPlatform: false, tenantId: undefined };
	const templates = useWholeList<TemplateSummary>({
		key: [...templatesKey(ofTenant), "list"],
		address: templatesAddress(usePlatform(), ofTenant),
		outlet: "none",
	});
	const paths = (templates.data ?? [])
		.filter(({ category, version }) => category !== "security" && version !== null)
		.map(({ path }) => path);
	const shown = draft.template === "" || paths.includes(draft.template) ? paths : [draft.template, ...paths];
	const offered = template?.channels ?? [];
	const chosen = draft.channels.filter((channel) => offered.includes(channel));
	return (
		<>
			<SelectField
				{...at("template")}
				label={words.template}
				hint={words.templateHint}
				value={draft.template}
				onChange={({ target }) => change({ template: target.value })}
				options={[{ value: "", label: words.choose }, ...shown.map((path) => ({ value: path, label: path }))]}
			/>
			<ErrorNotice error={templates.error} onRetry={templates.refetch} />
			{template !== undefined && (
				<CheckList
					{...at("channels")}
					legend={words.channels}
					hint={words.channelsHint}
					choices={offered.map((value) => ({ value, label: channelNames[value] }))}
					chosen={chosen}
					onChange={(channels) => change({ channels: channels as Channel[] })}
				/>
			)}
			{chosen.length > 1 && <ModeFields mode={draft.mode} channels={chosen} change={change} />}
		</>
	);
}

type ModeFields = Pick<TriggerDraft, "mode" | "channels"> & Pick<Part, "change">;

function ModeFields({ mode, channels, change }: ModeFields) {
	const { form: words, modes, mode: legend } = useTriggerTexts();
	return (
		<>
			<ChoiceField
				name="mode"
				legend={legend}
				value={mode}
				onChoose={(value) => change({ mode: value as TriggerDraft["mode"] })}
				choices={(["all", "first"] as const).map((value) => ({
					...{ value, label: modes[value], detail: words.modeDetails[value] },
				}))}
				isWide
			/>
			{mode === "first" && <Order channels={channels} change={change} />}
		</>
	);
}

/** In which order channels are tried. */
function Order({ channels, change }: Pick<ModeFields, "channels" | "change">) {
	const { form: words } = useTriggerTexts();
	const { channelNames } = useTemplateTexts();
	const moveUp = (place: number) => {
		const moved = channels.filter((_, index) => index !== place);
		change({ channels: moved.toSpliced(place - 1, 0, ...channels.slice(place, place + 1)) });
	};
	return (
		<div className="mt-5">
			<p className="mb-1.5 font-semibold">{words.order}</p>
			<ol className="grid gap-1">
				{channels.map((channel, place) => (
					<li key={channel} className="flex min-h-12 flex-wrap items-center gap-x-4">
						<span>
							{place + 1}. {channelNames[channel]}
						</span>
						{place > 0 && (
							<Button
								kind="quiet"
								aria-label={words.earlierOne(channelNames[channel])}
								onClick={() => moveUp(place)}
							>
								{words.earlier}
							</Button>
						)}
					</li>
				))}
			</ol>
		</div>
	);
}
