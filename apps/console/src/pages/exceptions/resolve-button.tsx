import { SelectField, TextAreaField } from "@lango/interface";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import { linesOf, textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import { wordFor } from "../../texts/texts.ts";
import { booksKey } from "../adjustments/adjustment.queries.ts";
import { JournalLines } from "../journals/journal-lines.tsx";
import { type Exception, resolutions, resolveException } from "./exception.queries.ts";
import { useExceptionTexts } from "./texts.ts";

/** A button that resolves an exception: by its proposed journal, by receipts, or by a reason alone. */
export function ResolveButton({ exception }: { exception: Exception }) {
	const platform = usePlatform();
	const words = useExceptionTexts();
	const { label, title, confirm, busy, done, waits } = words.resolve;
	return (
		<FormButton
			{...{ label, confirm, busyText: busy }}
			title={title(wordFor(words.classes, exception.class), exception.subject)}
			keptAs={exception.id}
			messages={words.errors}
			check={(entered) => check(entered, { words: words.resolve, isProposed: hasProposedCharges(exception) })}
			action={(entered) => resolveException(platform, exception.id, read(entered))}
			invalidates={booksKey}
			done={({ adjustment_id }) => (adjustment_id === null ? done : waits)}
		>
			{(field) => <Fields field={field} exception={exception} />}
		</FormButton>
	);
}

/** Of a settlement without a list of charges the treasury proposes them: the operator confirms them. */
const hasProposedCharges = (exception: Exception) => exception.class === "missing_there";

function Fields({ field, exception }: { field: Field; exception: Exception }) {
	const { proposed, currency } = exception;
	const words = useExceptionTexts().resolve;
	const choices = resolutions.filter((one) => one !== "posted" || proposed !== null);
	const [as, setAs] = useState<string>(choices[0] ?? "waived");
	return (
		<>
			<SelectField
				{...field("as")}
				label={words.as}
				value={as}
				onChange={({ target }) => setAs(target.value)}
				options={choices.map((value) => ({ value, label: words.choices[value] }))}
			/>
			{as === "posted" && proposed !== null && (
				<div className="mb-4">
					<p className="mb-1">{words.proposed}</p>
					<JournalLines lines={proposed.lines} currency={currency} />
				</div>
			)}
			{as === "matched" && (
				<TextAreaField
					{...field("receipt_ids")}
					label={words.receipts}
					hint={hasProposedCharges(exception) ? words.receiptsProposed : words.receiptsHint}
					isOptional={hasProposedCharges(exception)}
					rows={3}
					maxLength={2000}
				/>
			)}
			<TextAreaField {...field("because")} label={words.because} rows={2} maxLength={300} isProse />
		</>
	);
}

function check(
	entered: FormData,
	{ words, isProposed }: { words: { receiptsMissing: string; reasonMissing: string }; isProposed: boolean },
): readonly InputError[] {
	const needsReceipts = textOf(entered, "as") === "matched" && !isProposed;
	return errorsOf([
		[needsReceipts && linesOf(entered, "receipt_ids").length === 0, "receipt_ids", words.receiptsMissing],
		[textOf(entered, "because") === "", "because", words.reasonMissing],
	]);
}

const read = (entered: FormData) => ({
	...{ as: textOf(entered, "as"), because: textOf(entered, "because") },
	...(textOf(entered, "as") === "matched" && { receipt_ids: linesOf(entered, "receipt_ids") }),
});
