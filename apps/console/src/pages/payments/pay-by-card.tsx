import { useProfile } from "@lango/client/react";
import { TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { textOf } from "../../forms/form-data.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
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
	const opened = useMutation({
		mutationFn: (entered: FormData) => open(textOf(entered, "email")),
		onSuccess: (address) => window.location.assign(address),
	});
	return (
		<div className="mt-3 max-w-md">
			<SubmitForm
				submit={words.payByCard}
				submitting={words.opening}
				isBusy={opened.isPending || opened.isSuccess}
				failure={opened.error}
				messages={words.errors}
				check={(entered) => {
					const email = textOf(entered, "email");
					const isFine = email === "" ? isForAnother : /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email);
					return isFine ? undefined : { message: words.emailInvalid, field: "email" };
				}}
				onSubmit={(entered) => opened.mutate(entered)}
			>
				{(field) => (
					<TextField
						{...field("email")}
						type="email"
						label={words.email}
						hint={isForAnother ? words.payerEmailHint : words.emailHint}
						defaultValue={isForAnother ? "" : own}
						autoComplete={isForAnother ? "off" : "email"}
						isOptional={isForAnother}
						maxLength={254}
					/>
				)}
			</SubmitForm>
		</div>
	);
}
