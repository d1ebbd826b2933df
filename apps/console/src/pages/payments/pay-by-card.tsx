import { useProfile } from "@lango/client/react";
import { CardForm } from "./card-form.tsx";
import { usePayingTexts } from "./texts.ts";

type PayByCard = {
	/** Opens the card gateway's page, and returns its address. */
	open: (email: string) => Promise<string>;
	/** Whether another person pays. Their address may be known already: then it is left empty. */
	isForAnother?: boolean;
};

/** Opens the card gateway's page, where it is paid by card, from a bank or by USSD. */
export function PayByCard({ open, isForAnother = false }: PayByCard) {
	const words = usePayingTexts();
	const own = useProfile()?.email ?? "";
	return (
		<div className="mt-3 max-w-md">
			<CardForm
				open={open}
				email={{
					label: words.email,
					hint: isForAnother ? words.payerEmailHint : words.emailHint,
					defaultValue: isForAnother ? "" : own,
					autoComplete: isForAnother ? "off" : "email",
					isOptional: isForAnother,
				}}
				texts={{ submit: words.payByCard, submitting: words.opening, emailInvalid: words.emailInvalid }}
				messages={words.errors}
			/>
		</div>
	);
}
