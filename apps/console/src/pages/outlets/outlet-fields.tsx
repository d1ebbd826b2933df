import { SelectField, TextField } from "@lango/interface";
import { CheckField } from "../../fields/check-field.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { useTexts } from "../../texts/texts.ts";
import { useOutletTexts } from "./texts.ts";

/** The values of the fields. An undefined code is derived from the name. */
export type EnteredOutlet = {
	name: string;
	code: string | undefined;
	useCase: string;
	status: string;
	isHq: boolean;
};

type OutletFields = {
	entered: EnteredOutlet;
	/** A new outlet is open: its status cannot be chosen. */
	isNew: boolean;
	onChange: (change: Partial<EnteredOutlet>) => void;
	field: Field;
};

/** An outlet's name, code, use case and status. */
export function OutletFields({ entered, isNew, onChange, field }: OutletFields) {
	const words = useOutletTexts();
	const { useCases } = useTexts();
	const statuses = ["active", "inactive"] as const;
	return (
		<>
			<TextField
				{...field("name")}
				isProse
				autoComplete="off"
				maxLength={200}
				label={words.name}
				value={entered.name}
				onChange={(event) => onChange({ name: event.target.value })}
			/>
			<TextField
				{...field("code")}
				autoComplete="off"
				maxLength={32}
				label={words.code}
				hint={words.codeHint}
				value={entered.code ?? ""}
				onChange={(event) => onChange({ code: event.target.value.toUpperCase() })}
			/>
			<SelectField
				{...field("use_case")}
				label={words.kind}
				value={entered.useCase}
				onChange={(event) => onChange({ useCase: event.target.value })}
				options={Object.entries(useCases).map(([value, label]) => ({ value, label }))}
			/>
			{!isNew && (
				<SelectField
					{...field("status")}
					label={words.status}
					value={entered.status}
					onChange={(event) => onChange({ status: event.target.value })}
					options={statuses.map((value) => ({ value, label: words.statuses[value] }))}
				/>
			)}
			<CheckField
				{...field("is_hq")}
				label={words.isHq}
				hint={words.isHqHint}
				isChecked={entered.isHq}
				onChange={(isHq) => onChange({ isHq })}
			/>
		</>
	);
}
