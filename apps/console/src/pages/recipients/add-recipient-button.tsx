import { SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { addRecipient, banksQuery, recipientsKey, recipientTypes } from "./recipient.queries.ts";
import { banksOf, checkRecipient, readRecipient } from "./recipient-form.ts";
import { useRecipientTexts } from "./texts.ts";

/** A button that opens the form of a new recipient. */
export function AddRecipientButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useRecipientTexts();
	const { label, lead, confirm, busy, done } = words.add;
	const banks = useQuery(banksQuery(platform, scope)).data ?? [];
	const currency = useTenant()?.currency ?? "KES";
	return (
		<FormButton
			label={label}
			lead={lead}
			confirm={confirm}
			busyText={busy}
			messages={words.errors}
			check={(entered) => checkRecipient(entered, words)}
			action={(entered) => addRecipient(platform, scope, readRecipient(entered, banks, currency))}
			invalidates={recipientsKey(scope)}
			done={done}
		>
			{(field) => <RecipientFields scope={scope} field={field} />}
		</FormButton>
	);
}

function RecipientFields({ scope, field }: { scope: ServiceScope; field: Field }) {
	const words = useRecipientTexts();
	const [type, setType] = useState<string>(recipientTypes[0]);
	const found = useQuery(banksQuery(usePlatform(), scope));
	return (
		<>
			<SelectField
				{...field("type")}
				label={words.type}
				options={recipientTypes.map((value) => ({ value, label: words.types[value] }))}
				value={type}
				onChange={({ target }) => setType(target.value)}
			/>
			<Loaded query={found}>
				{(banks) => (
					<SelectField
						key={type}
						{...field("bank")}
						label={words.bank}
						options={[
							{ value: "", label: "–" },
							...banksOf(banks, type).map(({ code, name }) => ({ value: code, label: name })),
						]}
					/>
				)}
			</Loaded>
			<TextField {...field("name")} label={words.name} autoComplete="off" maxLength={100} isProse />
			<TextField
				{...field("account_number")}
				label={words.accountNumber}
				hint={words.accountHint}
				autoComplete="off"
				maxLength={40}
			/>
		</>
	);
}
