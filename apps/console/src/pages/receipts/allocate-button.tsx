import { TextField } from "@lango/interface";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import { FoundChoice } from "../../fields/found-choice.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useIsPlatform } from "../access/use-is-platform.ts";
import type { Intent } from "../intents/intent.queries.ts";
import { usePayingTexts } from "../payments/texts.ts";
import { checkAllocation, readAllocation } from "./allocation-form.ts";
import { allocateReceipt, dueIntentsMax, dueIntentsQuery, type Receipt } from "./receipt.queries.ts";
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
			// What was entered for another remainder is not offered again: it may have been carried out.
			keptAs={`${receipt.id} ${receipt.unallocated_minor}`}
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
	// As it was when the dialog was opened: the receipt may be read again meanwhile.
	const [seen] = useState(receipt.unallocated_minor);
	return (
		<>
			<input type="hidden" name="unallocated_minor" value={seen} />
			<IntentField
				{...{ scope, field, currency: receipt.currency }}
				keptAs={`intent of ${receipt.id} ${seen}`}
			/>
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

type IntentField = { scope: ServiceScope; currency: string; field: Field; keptAs: string };

/** What it pays: of the organisation; for the platform owner of any, also its bills. */
function IntentField({ keptAs, ...choice }: IntentField) {
	const { scope, field } = choice;
	const words = useReceiptTexts();
	const [slug, setSlug] = useState("");
	if (!useIsPlatform(scope.slug)) return <IntentChoice {...choice} keptAs={keptAs} />;
	return (
		<>
			<TextField
				{...field("tenant")}
				label={words.organisation}
				hint={words.organisationHint}
				autoComplete="off"
				maxLength={63}
				onBlur={({ target }) => setSlug(target.value.trim())}
			/>
			{slug !== "" && (
				<IntentChoice
					key={slug}
					{...{ ...choice, scope: { ...scope, slug } }}
					keptAs={`${keptAs} ${slug}`}
					withBills
				/>
			)}
		</>
	);
}

type IntentChoice = IntentField & { withBills?: boolean };

/** Selects a payment of which something is due, searched by account code, description, order or amount. */
function IntentChoice({ scope, currency, field, keptAs, withBills = false }: IntentChoice) {
	const platform = usePlatform();
	const words = useReceiptTexts();
	const { statuses } = usePayingTexts();
	const format = useFormat();
	const [chosen, choose] = useState<Intent>();
	const detailOf = ({ amount_minor, received_minor, order_id, account_code, status }: Intent) =>
		[
			words.due(format.money(amount_minor - received_minor, currency)),
			order_id,
			account_code,
			statuses[status],
		]
			.filter(Boolean)
			.join(" · ");
	return (
		<FoundChoice<Intent>
			{...field("intent_id")}
			legend={words.intent}
			hint={words.intentHint(currency)}
			search={words.search}
			queryFor={(text) => dueIntentsQuery(platform, scope, { text, currency, withBills })}
			choiceOf={(intent) => ({ value: intent.id, label: intent.description, detail: detailOf(intent) })}
			chosen={chosen}
			onChoose={choose}
			keptAs={keptAs}
			empty={words.noIntents}
			more={{ count: dueIntentsMax, text: words.moreIntents(dueIntentsMax) }}
		/>
	);
}
