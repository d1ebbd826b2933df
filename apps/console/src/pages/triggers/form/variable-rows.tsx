import { SelectField, TextField } from "@lango/interface";
import { useTriggerTexts } from "../state/texts.ts";
import type { At, Part } from "./part.ts";
import {
	type FilledTemplate,
	type Source,
	sources,
	suggestVariable,
	type VariableDraft,
} from "./trigger-draft.ts";

/** The id of the list of paths that is offered in fields of paths. */
export const pathsId = "event-paths";

type VariableRows = Part & Pick<FilledTemplate, "variables"> & { paths: readonly string[] };

/** What each variable of the template is filled with. */
export function VariableRows({ draft, change, at, variables, paths }: VariableRows) {
	const { form: words } = useTriggerTexts();
	return (
		<fieldset className="mt-6 min-w-0">
			<legend className="font-semibold">{words.variables}</legend>
			<p className="text-quiet">{variables.length === 0 ? words.noVariables : words.variablesLead}</p>
			{variables.map(({ name }) => (
				<Row
					key={name}
					name={name}
					at={at}
					variable={draft.variables[name] ?? suggestVariable(name, paths)}
					onChange={(variable) => change({ variables: { ...draft.variables, [name]: variable } })}
				/>
			))}
		</fieldset>
	);
}

type Row = {
	name: string;
	at: At;
	variable: VariableDraft;
	onChange: (variable: VariableDraft) => void;
};

function Row({ name, at, variable, onChange }: Row) {
	const { form: words } = useTriggerTexts();
	const { source, path, currency, text } = variable;
	const set = (more: Partial<VariableDraft>) => onChange({ ...variable, ...more });
	const field = at(`map.${name}`);
	const common = { list: pathsId, maxLength: 200 };
	return (
		<div className="grid gap-x-4 border-b border-hair pb-4 sm:grid-cols-2">
			<SelectField
				{...at(`map.${name}.source`)}
				label={words.source(name)}
				value={source}
				onChange={({ target }) => set({ source: target.value as Source })}
				options={sources.map((value) => ({ value, label: words.sources[value] }))}
			/>
			{source === "path" && (
				<TextField
					{...common}
					{...field}
					label={words.path(name)}
					hint={words.pathHint}
					value={path}
					onChange={({ target }) => set({ path: target.value })}
				/>
			)}
			{source === "constant" && (
				<TextField
					{...field}
					label={words.text(name)}
					value={text}
					onChange={({ target }) => set({ text: target.value })}
					maxLength={2_000}
					isProse
				/>
			)}
			{source === "money" && (
				<div>
					<TextField
						{...common}
						{...field}
						label={words.amount(name)}
						hint={words.amountHint}
						value={path}
						onChange={({ target }) => set({ path: target.value })}
					/>
					<TextField
						{...common}
						{...at(`map.${name}.currency`)}
						label={words.currency(name)}
						value={currency}
						onChange={({ target }) => set({ currency: target.value })}
					/>
				</div>
			)}
		</div>
	);
}
