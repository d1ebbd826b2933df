import { SearchField, SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { findRows } from "../../lists/find-rows.ts";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import type { ServiceScope } from "../access/access.queries.ts";
import type { Intent } from "../intents/intent.queries.ts";
import { checkAllocation, readAllocation } from "./allocation-form.ts";
import { allocateReceipt, openIntentsQuery, type Receipt } from "./receipt.queries.ts";
import { useReceiptTexts } from "./texts.ts";

type Props = { scope: ServiceScope; receipt: Receipt };

/** A button that allocates what a receipt has left to what it pays. */
export function AllocateButton({ scope, receipt }: Props) {
	const platform = usePlatform();
	const words = useReceiptTexts();
	const format = useFormat();
	const { label, lead, confirm, busy, done } = words.allocate;
	return (
		<FormButton
			{...{ label, confirm, done, busyText: busy }}
			lead={lead(format.money(receipt.unallocated_minor, receipt.currency))}
			messages={words.errors}
			fieldMessages={{ amount_minor: words.amountInvalid }}
			check={(entered) => checkAllocation(entered, { receipt, words })}
			action={(entered) =>
				allocateReceipt(platform, { scope, id: receipt.id }, readAllocation(entered, receipt))
			}
			// Receipts, intents and balances change.
			invalidates={["treasury", scope.slug]}
		>
			{(field) => <AllocationFields field={field} scope={scope} receipt={receipt} />}
		</FormButton>
	);
}

function AllocationFields({ field, scope, receipt }: Props & { field: Field }) {
	const words = useReceiptTexts();
	const found = useQuery(openIntentsQuery(usePlatform(), scope));
	// As it was when the dialog was opened: the receipt may be read again meanwhile.
	const [seen] = useState(receipt.unallocated_minor);
	return (
		<>
			<input type="hidden" name="unallocated_minor" value={seen} />
			<Loaded query={found}>
				{(intents) => (
					<IntentField
						field={field}
						intents={intents.filter(({ currency }) => currency === receipt.currency)}
					/>
				)}
			</Loaded>
			<TextField
				{...field("amount_minor")}
				label={words.amountIn(receipt.currency)}
				hint={words.amountHint}
				inputMode="decimal"
				autoComplete="off"
				maxLength={20}
				isOptional
			/>
		</>
	);
}

function IntentField({ field, intents }: { field: Field; intents: readonly Intent[] }) {
	const words = useReceiptTexts();
	const format = useFormat();
	const [part, setPart] = useState("");
	const nameOf = (intent: Intent) => {
		const due = format.money(intent.amount_minor - intent.received_minor, intent.currency);
		return [intent.description, intent.order_id, intent.account_code, due].filter(Boolean).join(", ");
	};
	const offered = findRows(intents, part, nameOf);
	return (
		<SelectField
			{...field("intent_id")}
			label={words.intent}
			hint={words.intentHint}
			above={<SearchField label={words.search} onSearch={setPart} />}
			options={[
				{ value: "", label: offered.length === 0 ? words.noIntents : words.choose },
				...offered.map((intent) => ({ value: intent.id, label: nameOf(intent) })),
			]}
		/>
	);
}
