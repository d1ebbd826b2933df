import { Button, SelectField, TextAreaField, TextField } from "@lango/interface";
import { FormButton } from "../../../dialogs/form-button.tsx";
import { textOf } from "../../../forms/form-data.ts";
import { errorsOf } from "../../../forms/rules.ts";
import { Section } from "../../../layout/section.tsx";
import { wordFor } from "../../../texts/texts.ts";
import { readSamples } from "../draft/draft.ts";
import { type Variable, variableKinds } from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";
import { useReasonAt } from "./findings-notice.tsx";

/** The variables of a template, each with a sample for previews, tests and the check before publishing. */
export function VariablesSection({ editing }: { editing: Editing }) {
	const words = useTemplateTexts();
	const { typed, isOwn } = editing;
	const { invalid } = readSamples(typed);
	return (
		<Section
			title={words.variables}
			lead={isOwn ? words.variablesLead : words.variablesOfPlatform}
			actions={isOwn && <AddVariable editing={editing} />}
		>
			{typed.variables.length === 0 && <p className="text-quiet">{words.noVariables}</p>}
			<div className="grid gap-x-6 md:grid-cols-2 xl:grid-cols-3">
				{typed.variables.map((variable) => (
					<Sample
						key={variable.name}
						editing={editing}
						variable={variable}
						isInvalid={invalid.includes(variable.name)}
					/>
				))}
			</div>
		</Section>
	);
}

type Sample = { editing: Editing; variable: Variable; isInvalid: boolean };

function Sample({ editing, variable, isInvalid }: Sample) {
	const words = useTemplateTexts();
	const { name, kind, members, is_fetched } = variable;
	const { typed, change, findings, isOwn } = editing;
	const reasonAt = useReasonAt(findings);
	const kindName = wordFor(words.kinds, kind);
	const setSample = (value: string) =>
		change((draft) => ({ ...draft, samples: { ...draft.samples, [name]: value } }));
	const remove = () =>
		change((draft) => ({ ...draft, variables: draft.variables.filter((each) => each.name !== name) }));
	const field = {
		name: `sample-${name}`,
		label: name,
		hint: (
			<span>
				{members === undefined
					? kindName
					: words.listOf(kindName, members.map((member) => member.name).join(", "))}
				{is_fetched === true && ` · ${words.fetched}`}
			</span>
		),
		error: isInvalid ? words.listWrong : reasonAt(`samples.${name}`),
		isOptional: true,
	};
	return (
		<div>
			{kind === "list" ? (
				<TextAreaField
					{...field}
					rows={4}
					value={typed.samples[name] ?? ""}
					onChange={(event) => setSample(event.target.value)}
				/>
			) : (
				<TextField
					{...field}
					value={typed.samples[name] ?? ""}
					onChange={(event) => setSample(event.target.value)}
				/>
			)}
			{isOwn && (
				<Button kind="quietRemove" aria-label={words.removeVariableOne(name)} onClick={remove}>
					{words.removeVariable}
				</Button>
			)}
		</div>
	);
}

const nameForm = /^[a-z][a-z0-9_]{0,59}$/;
const reserved: ReadonlySet<string> = new Set(["tenant", "layout"]);
const namesOf = (text: string) =>
	text
		.split(",")
		.map((name) => name.trim())
		.filter((name) => name !== "");

function AddVariable({ editing }: { editing: Editing }) {
	const { addVariable: words, kinds } = useTemplateTexts();
	const { typed, change } = editing;
	const check = (entered: FormData) => {
		const name = textOf(entered, "name");
		const members = namesOf(textOf(entered, "members"));
		const areNames = members.length > 0 && members.every((one) => nameForm.test(one));
		return errorsOf([
			[!nameForm.test(name), "name", words.nameWrong],
			[reserved.has(name), "name", words.nameReserved],
			[typed.variables.some((each) => each.name === name), "name", words.exists],
			[textOf(entered, "kind") === "list" && !areNames, "members", words.membersWrong],
		]);
	};
	const add = async (entered: FormData) => {
		const [name, kind] = [textOf(entered, "name"), textOf(entered, "kind")];
		const members = namesOf(textOf(entered, "members")).map((member) => ({ name: member, kind: "text" }));
		const variable = { name, kind, ...(kind === "list" && { members }) };
		const sample = textOf(entered, "sample");
		change(({ variables, samples, ...draft }) => ({
			...draft,
			variables: [...variables, variable],
			samples: { ...samples, [name]: sample },
		}));
	};
	return (
		<FormButton
			label={words.label}
			confirm={words.confirm}
			busyText={words.confirm}
			check={check}
			action={add}
		>
			{(field) => (
				<>
					<TextField {...field("name")} label={words.name} hint={words.nameHint} maxLength={60} />
					<SelectField
						{...field("kind")}
						label={words.kind}
						options={variableKinds.map((value) => ({ value, label: wordFor(kinds, value) }))}
					/>
					<TextField {...field("members")} label={words.members} hint={words.membersHint} isOptional />
					<TextField {...field("sample")} label={words.sample} hint={words.sampleHint} isOptional />
				</>
			)}
		</FormButton>
	);
}
