import { Button, SelectField, TextField } from "@lango/interface";
import type { Field } from "../../../forms/submit-form.tsx";
import type { Recipient } from "../../recipients/recipient.queries.ts";
import { PayeeFields } from "../payee-fields.tsx";
import { usePayoutTexts } from "../texts.ts";
import { type BulkRow, nameOf, type Rail, type RowField } from "./bulk-row.ts";
import { useBulkTexts } from "./texts.ts";

type Row = {
	row: BulkRow;
	rail: Rail;
	recipients: readonly Recipient[];
	currency: string;
	field: Field;
};

type Numbered = Row & {
	/** From 1. */
	number: number;
	/** Undefined: it is the only row. */
	onRemove: (() => void) | undefined;
};

/** The fields of a payout of a bulk request. */
export function BulkRowFields({ number, onRemove, ...row }: Numbered) {
	const words = useBulkTexts();
	return (
		<fieldset className="mt-5 rounded-lg border border-hair px-4 pb-4">
			<legend className="px-1 font-semibold">{words.row(String(number))}</legend>
			<div className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
				{row.rail === "card_gateway" ? <ToRecipient {...row} /> : <ToPayee {...row} />}
			</div>
			{onRemove !== undefined && (
				<Button
					kind="quietRemove"
					className="mt-3"
					aria-label={words.removeRow(String(number))}
					onClick={onRemove}
				>
					{words.remove}
				</Button>
			)}
		</fieldset>
	);
}

/** A field of the row, with what it begins with. */
const of = ({ row, field }: Row, name: RowField) => ({
	...field(nameOf(row.key, name)),
	defaultValue: row[name],
});

function ToRecipient(row: Row) {
	const words = usePayoutTexts();
	return (
		<>
			<SelectField
				{...of(row, "recipient_id")}
				label={words.recipient}
				options={[
					{ value: "", label: row.recipients.length === 0 ? words.noRecipients : words.choose },
					...row.recipients.map(({ id, name, masked_account }) => ({
						...{ value: id, label: `${name}, ${masked_account}` },
					})),
				]}
			/>
			<AmountField {...row} />
		</>
	);
}

function AmountField(row: Row) {
	const words = usePayoutTexts();
	return (
		<TextField
			{...of(row, "amount_minor")}
			label={words.amountIn(row.currency)}
			inputMode="decimal"
			autoComplete="off"
			maxLength={20}
		/>
	);
}

function ToPayee(row: Row) {
	const words = usePayoutTexts();
	return (
		<>
			<PayeeFields field={row.field} nameOf={(name) => nameOf(row.row.key, name)} first={row.row} />
			<AmountField {...row} />
			<TextField {...of(row, "remarks")} label={words.remarks} autoComplete="off" maxLength={100} isProse />
		</>
	);
}

/** Whether the same amount is paid to the same account twice on purpose. */
export function TwiceField({ label }: { label: string }) {
	return (
		<label className="mt-5 flex min-h-11 cursor-pointer items-start gap-3 py-2">
			<input type="checkbox" name="twice" value="yes" className="mt-1 size-4 shrink-0 accent-link" />
			<span>{label}</span>
		</label>
	);
}
