import { Button, SelectField, TextAreaField, TextField } from "@lango/interface";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { owners, sides } from "../journals/journal.queries.ts";
import { useJournalTexts } from "../journals/texts.ts";
import { adjustmentPurposes, adjustmentsKey, requestAdjustment } from "./adjustment.queries.ts";
import { checkAdjustment, needsTenant, readAdjustment } from "./adjustment-form.ts";
import { useAdjustmentTexts } from "./texts.ts";

/** A button that asks for an adjustment of the books. */
export function RequestAdjustmentButton() {
	const platform = usePlatform();
	const words = useAdjustmentTexts();
	const currency = useTenant()?.currency ?? "KES";
	const { label, lead, confirm, busy, done } = words.request;
	return (
		<FormButton
			{...{ label, lead, confirm, done, busyText: busy }}
			messages={words.errors}
			check={(entered) => checkAdjustment(entered, { currency, words })}
			action={(entered) => requestAdjustment(platform, readAdjustment(entered, currency))}
			invalidates={adjustmentsKey}
		>
			{(field) => <Fields field={field} currency={currency} />}
		</FormButton>
	);
}

function Fields({ field, currency }: { field: Field; currency: string }) {
	const words = useAdjustmentTexts();
	const [purpose, setPurpose] = useState("top_up");
	const isCorrection = purpose === "correction";
	return (
		<>
			<SelectField
				{...field("purpose")}
				label={words.request.purpose}
				value={purpose}
				onChange={({ target }) => setPurpose(target.value)}
				options={adjustmentPurposes.map((value) => ({ value, label: words.purposes[value] }))}
			/>
			{isCorrection ? (
				<LineFields field={field} currency={currency} />
			) : (
				<TextField
					{...field("amount_minor")}
					label={words.request.amount(currency)}
					hint={purpose === "variance" ? words.request.varianceHint : undefined}
					inputMode="decimal"
					autoComplete="off"
					maxLength={20}
				/>
			)}
			{(isCorrection || needsTenant(purpose)) && (
				<TextField
					{...field("tenant")}
					label={words.request.tenant}
					hint={words.request.tenantHint}
					autoComplete="off"
					maxLength={63}
					isOptional={isCorrection}
				/>
			)}
			<TextAreaField {...field("because")} label={words.because} rows={2} maxLength={300} isProse />
		</>
	);
}

const linesMax = 20;

/** The lines of a correction. More are added as they are needed. */
function LineFields({ field, currency }: { field: Field; currency: string }) {
	const words = useAdjustmentTexts();
	const journal = useJournalTexts();
	const format = useFormat();
	const [count, setCount] = useState(2);
	const { isInvalid } = field("lines");
	const { request } = words;
	return (
		<>
			{Array.from({ length: count }, (_, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the end.
				<fieldset key={index} className="grid gap-x-4 sm:grid-cols-2">
					<legend className="text-sm text-quiet">{request.lineOf(format.number(index + 1))}</legend>
					<SelectField
						name="side"
						label={request.side}
						defaultValue={sides[index % 2]}
						options={sides.map((value) => ({ value, label: journal.sides[value] }))}
					/>
					<SelectField
						name="owner"
						label={request.owner}
						options={owners.map((value) => ({ value, label: words.owners[value] }))}
					/>
					<TextField
						name="code"
						label={request.code}
						hint={index === 0 ? request.codeHint : undefined}
						isInvalid={isInvalid && index === 0}
						autoComplete="off"
						maxLength={60}
						isOptional
					/>
					<TextField
						name="amount"
						label={request.amount(currency)}
						inputMode="decimal"
						autoComplete="off"
						maxLength={20}
						isOptional
					/>
				</fieldset>
			))}
			{count < linesMax && (
				<div>
					<Button kind="quiet" onClick={() => setCount(count + 1)}>
						{request.another}
					</Button>
				</div>
			)}
		</>
	);
}
