import { TextField, useKeptState } from "@lango/interface";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { CheckField } from "../../../fields/check-field.tsx";
import { SubmitForm } from "../../../forms/submit-form.tsx";
import { Section } from "../../../layout/section.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { useExplain } from "../../../notices/explain.ts";
import { useReload } from "../../../notices/use-reload.ts";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { type Template, templateQuery } from "../../templates/draft/templates.queries.ts";
import { useTriggerTexts } from "../state/texts.ts";
import {
	changeTrigger,
	createTrigger,
	eventTypesQuery,
	type Trigger,
	type TriggerTerms,
	triggersKey,
} from "../state/trigger.queries.ts";
import { findProblems, type Problem } from "./check-draft.ts";
import { ConditionRows } from "./condition-rows.tsx";
import { DeliveryFields } from "./delivery-fields.tsx";
import { EventField } from "./event-field.tsx";
import { listPaths } from "./list-paths.ts";
import { atOf } from "./part.ts";
import { RecipientFields } from "./recipient-fields.tsx";
import { TemplateFields } from "./template-fields.tsx";
import { draftOf, emptyDraft, type FilledTemplate, readDraft, type TriggerDraft } from "./trigger-draft.ts";
import { pathsId, VariableRows } from "./variable-rows.tsx";

type TriggerForm = {
	scope: ServiceScope;
	/** The rule to change; undefined to create one. */
	trigger: Trigger | undefined;
};

/** The form of a rule. Nothing of it needs JSON. */
export function TriggerForm({ scope, trigger }: TriggerForm) {
	const platform = usePlatform();
	const words = useTriggerTexts();
	const [stored] = useState(() => (trigger === undefined ? emptyDraft : draftOf(trigger)));
	const [draft, setDraft, isKept] = useKeptState("draft", () => stored);
	const [problems, setProblems] = useState<readonly Problem[]>([]);
	const { attempt, refused } = useSaving({ scope, trigger });
	const eventTypes = useQuery(eventTypesQuery(platform, scope));
	const template = useTemplate(scope, draft.template);
	const filled = template.data && filledOf(template.data);
	const paths = listPaths(eventTypes.data?.find(({ type }) => type === draft.event)?.data);
	const at = atOf(problems.length > 0 ? problems : refused);
	const change = (more: Partial<TriggerDraft>) => setDraft((before) => ({ ...before, ...more }));
	const check = () => {
		const found = findProblems(draft, { template: filled, paths, words: words.form });
		setProblems(found);
		return found;
	};
	const submit = () => filled && attempt.mutate(readDraft(draft, { template: filled, paths }));
	const isNew = trigger === undefined;
	const parts = { draft, change, at };
	return (
		<SubmitForm
			submit={isNew ? words.form.create : words.form.save}
			submitting={isNew ? words.form.creating : words.form.saving}
			isChanged={isKept || draft !== stored}
			isBusy={attempt.isPending}
			failure={attempt.error}
			messages={words.errors}
			check={check}
			onSubmit={submit}
		>
			{() => (
				<div className="max-w-4xl">
					<datalist id={pathsId}>
						{paths.map((path) => (
							<option key={path} value={path} />
						))}
					</datalist>
					<Section title={words.form.when}>
						<TextField
							{...at("name")}
							label={words.form.name}
							hint={words.form.nameHint}
							value={draft.name}
							onChange={({ target }) => change({ name: target.value })}
							maxLength={120}
							isProse
						/>
						<EventField {...parts} eventTypes={eventTypes.data ?? []} />
						<ErrorNotice error={eventTypes.error} onRetry={eventTypes.refetch} />
						<ConditionRows {...parts} />
					</Section>
					<Section title={words.form.what}>
						<TemplateFields {...parts} scope={scope} template={filled} />
						<ErrorNotice error={template.error} onRetry={template.refetch} />
						{filled !== undefined && <VariableRows {...parts} variables={filled.variables} paths={paths} />}
					</Section>
					<Section title={words.form.who}>
						<RecipientFields {...parts} scope={scope} />
					</Section>
					<Section title={words.form.how}>
						<DeliveryFields {...parts} />
						<CheckField
							name="enabled"
							label={words.form.enabled}
							hint={words.form.enabledHint}
							isChecked={draft.isEnabled}
							onChange={(isEnabled) => change({ isEnabled })}
						/>
					</Section>
				</div>
			)}
		</SubmitForm>
	);
}

function useTemplate({ service, slug, outlet }: ServiceScope, path: string) {
	const scope = { service, slug, outlet, isPlatform: false, tenantId: undefined };
	return useQuery({ ...templateQuery(usePlatform(), { scope, path }), enabled: path !== "" });
}

const filledOf = ({ live }: Template): FilledTemplate => ({
	variables: live?.variables ?? [],
	channels: [...new Set(live?.contents.map(({ channel }) => channel))],
});

/** Saves a rule, and opens its page. */
function useSaving({ scope, trigger }: TriggerForm) {
	const platform = usePlatform();
	const words = useTriggerTexts();
	const explain = useExplain(words.errors);
	const navigate = useNavigate();
	const reload = useReload(triggersKey(scope));
	const attempt = useMutation({
		mutationFn: (body: TriggerTerms) =>
			trigger === undefined
				? createTrigger(platform, scope, body)
				: changeTrigger(platform, { scope, id: trigger.id }, body),
		onSuccess: async ({ id, name }) => {
			await navigate({ to: "/$slug/triggers/$id", params: { slug: scope.slug, id } });
			await reload(trigger === undefined ? words.form.created(name) : words.form.saved(name));
		},
	});
	const { field, message } = explain(attempt.error);
	const refused: Problem[] =
		attempt.error === null || attempt.isPending || field === undefined ? [] : [{ field, message }];
	return { attempt, refused };
}
