import { TextAreaField } from "@lango/interface";
import { FormButton } from "../../../dialogs/form-button.tsx";
import { textOf } from "../../../forms/form-data.ts";
import { errorsOf } from "../../../forms/rules.ts";
import type { Recipient } from "../../recipients/recipient.queries.ts";
import { type BulkRow, bulkMax, type Rail } from "./bulk-row.ts";
import { pasteRows } from "./paste-rows.ts";
import { useBulkTexts } from "./texts.ts";

type PasteButton = {
	rail: Rail;
	recipients: readonly Recipient[];
	onPaste: (rows: readonly BulkRow[]) => void;
};

/** A button that makes rows of lines from a spreadsheet or a CSV file. Their errors are shown at the rows. */
export function PasteButton({ rail, recipients, onPaste }: PasteButton) {
	const { paste: words, tooMany } = useBulkTexts();
	const read = (entered: FormData) => pasteRows(textOf(entered, "lines"), { rail, recipients });
	const { label, lead, confirm, busy } = words;
	return (
		<FormButton
			{...{ label, confirm, lead: lead[rail], busyText: busy }}
			check={(entered) => {
				const count = read(entered).length;
				return errorsOf([
					[count > bulkMax, "lines", tooMany(String(bulkMax))],
					[count === 0, "lines", words.missing],
				]);
			}}
			action={async (entered) => read(entered)}
			onDone={onPaste}
		>
			{(field) => <TextAreaField {...field("lines")} label={words.lines} hint={words.hint[rail]} rows={8} />}
		</FormButton>
	);
}
