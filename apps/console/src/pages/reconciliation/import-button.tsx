import { ClientError } from "@lango/client";
import { FileField, SelectField, TextField } from "@lango/interface";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { importStatement, runsKey } from "./run.queries.ts";
import { checkStatement, readStatement, sourceOf } from "./statement-form.ts";
import { useReconciliationTexts } from "./texts.ts";

/** A button that imports a statement of the bank account or of a shortcode. */
export function ImportButton() {
	const platform = usePlatform();
	const words = useReconciliationTexts().statement;
	const currency = useTenant()?.currency ?? "KES";
	const [unreadable, setUnreadable] = useState<string>(words.unreadable);
	const send = async (entered: FormData) => {
		const file = readStatement(entered);
		if (file === undefined) throw new Error("the form was not checked");
		try {
			return await importStatement(platform, { source: sourceOf(entered), currency, file });
		} catch (error) {
			if (error instanceof ClientError && typeof error.body["line"] === "number")
				setUnreadable(words.unreadableAt(error.body["line"], String(error.body["column"])));
			throw error;
		}
	};
	return (
		<FormButton
			{...{ label: words.label, lead: words.lead, confirm: words.confirm, busyText: words.busy }}
			check={(entered) => checkStatement(entered, words)}
			action={send}
			invalidates={runsKey}
			messages={{ invalid_input: unreadable }}
			done={({ lines, added }) => words.done(lines, added)}
		>
			{(field) => <Fields field={field} />}
		</FormButton>
	);
}

function Fields({ field }: { field: Field }) {
	const words = useReconciliationTexts().statement;
	const [source, setSource] = useState("bank");
	return (
		<>
			<SelectField
				{...field("source")}
				label={words.source}
				value={source}
				onChange={({ target }) => setSource(target.value)}
				options={Object.entries(words.sources).map(([value, label]) => ({ value, label }))}
			/>
			{source === "shortcode" && (
				<TextField
					{...field("shortcode")}
					label={words.shortcode}
					inputMode="numeric"
					autoComplete="off"
					maxLength={10}
				/>
			)}
			<FileField {...field("file")} label={words.file} hint={words.hint} accept=".csv,text/csv" />
		</>
	);
}
