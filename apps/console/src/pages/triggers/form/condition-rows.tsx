import { Button, SelectField, TextAreaField, TextField } from "@lango/interface";
import { useTriggerTexts } from "../state/texts.ts";
import { type Operator, operators } from "../state/trigger.queries.ts";
import type { At, Part } from "./part.ts";
import { type ConditionDraft, type ValueKind, valueKinds } from "./trigger-draft.ts";
import { pathsId } from "./variable-rows.tsx";

const conditionsMax = 20;
const newCondition = { path: "event.", op: "eq", kind: "text", value: "" } as const;

/** The conditions of a rule, one in each row. */
export function ConditionRows({ draft: { conditions }, change, at }: Part) {
	const { form: words } = useTriggerTexts();
	const add = () => {
		const key = Math.max(-1, ...conditions.map((one) => one.key)) + 1;
		change({ conditions: [...conditions, { key, ...newCondition }] });
	};
	const set = (key: number, more: Partial<ConditionDraft>) =>
		change({ conditions: conditions.map((one) => (one.key === key ? { ...one, ...more } : one)) });
	return (
		<fieldset className="mt-6 min-w-0">
			<legend className="font-semibold">{words.conditions}</legend>
			<p className="text-quiet">{words.conditionsLead}</p>
			{conditions.map((condition, place) => (
				<Row
					key={condition.key}
					condition={condition}
					place={place}
					at={at}
					onChange={(more) => set(condition.key, more)}
					onRemove={() => change({ conditions: conditions.filter(({ key }) => key !== condition.key) })}
				/>
			))}
			{conditions.length < conditionsMax && (
				<Button className="mt-4" onClick={add}>
					{words.addCondition}
				</Button>
			)}
		</fieldset>
	);
}

type Row = {
	condition: ConditionDraft;
	place: number;
	at: At;
	onChange: (more: Partial<ConditionDraft>) => void;
	onRemove: () => void;
};

function Row({ condition: { path, op, kind, value }, place, at, onChange, onRemove }: Row) {
	const { form: words } = useTriggerTexts();
	const name = `conditions.${place}`;
	return (
		<fieldset className="mt-4 min-w-0 rounded-lg border border-hair px-4 pb-3">
			<legend className="px-1 text-quiet">{words.condition(place + 1)}</legend>
			<div className="-mt-3 grid gap-x-4 sm:grid-cols-2">
				<TextField
					{...at(`${name}.path`)}
					label={words.conditionPath}
					value={path}
					onChange={({ target }) => onChange({ path: target.value })}
					list={pathsId}
					maxLength={200}
				/>
				<SelectField
					{...at(`${name}.op`)}
					label={words.operator}
					value={op}
					onChange={({ target }) => onChange({ op: target.value as Operator })}
					options={operators.map((one) => ({ value: one, label: words.operators[one] }))}
				/>
				{op !== "in" && op !== "exists" && (
					<SelectField
						{...at(`${name}.kind`)}
						label={words.valueKind}
						value={kind}
						onChange={({ target }) => onChange({ kind: target.value as ValueKind })}
						options={valueKinds.map((one) => ({ value: one, label: words.valueKinds[one] }))}
					/>
				)}
				<ValueField name={`${name}.value`} at={at} condition={{ op, kind, value }} onChange={onChange} />
			</div>
			<Button kind="quietRemove" aria-label={words.removeConditionOne(place + 1)} onClick={onRemove}>
				{words.removeCondition}
			</Button>
		</fieldset>
	);
}

type ValueField = Pick<Row, "at" | "onChange"> & {
	name: string;
	condition: Pick<ConditionDraft, "op" | "kind" | "value">;
};

function ValueField({ name, at, condition: { op, kind, value }, onChange }: ValueField) {
	const { form: words } = useTriggerTexts();
	if (op === "in")
		return (
			<TextAreaField
				{...at(name)}
				label={words.valueLines}
				value={value}
				onChange={({ target }) => onChange({ value: target.value })}
			/>
		);
	if (op === "exists" || kind === "boolean")
		return (
			<SelectField
				{...at(name)}
				label={words.value}
				value={value === "false" ? "false" : "true"}
				onChange={({ target }) => onChange({ value: target.value })}
				options={[
					{ value: "true", label: words.yes },
					{ value: "false", label: words.no },
				]}
			/>
		);
	return (
		<TextField
			{...at(name)}
			label={words.value}
			value={value}
			onChange={({ target }) => onChange({ value: target.value })}
			inputMode={kind === "number" ? "decimal" : "text"}
			isOptional={kind !== "number"}
			maxLength={200}
		/>
	);
}
