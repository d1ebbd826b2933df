import { TextAreaField } from "@lango/interface";
import { FormButton } from "../../../dialogs/form-button.tsx";
import { textOf } from "../../../forms/form-data.ts";
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
				if (count > bulkMax) return { message: tooMany(String(bulkMax)), field: "lines" };
				return count === 0 ? { message: words.missing, field: "lines" } : undefined;
			}}
			action={async (entered) => read(entered)}
			onDone={onPaste}
		>
			{(field) => <TextAreaField {...field("lines")} label={words.lines} hint={words.hint[rail]} rows={8} />}
		</FormButton>
	);
}
