import { TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
import type { ErrorMessages } from "../../notices/explain.ts";
import { usePayingTexts } from "./texts.ts";

type PhoneForm = {
	/** Asks the phone to pay. */
	ask: (phone: string) => Promise<unknown>;
	/** Called after each request, also after a refused one: reloads what is paid. */
	onAsked: () => unknown;
	/** What is said below the number, in place of the usual. */
	hint?: string;
	messages: ErrorMessages;
};

const phoneLengthMin = 9;

/** A form that asks a phone to pay. */
export function PhoneForm({ ask, onAsked, hint, messages }: PhoneForm) {
	const words = usePayingTexts();
	const asked = useMutation({
		mutationFn: (entered: FormData) => ask(textOf(entered, "phone")),
		onSettled: onAsked,
	});
	return (
		<SubmitForm
			keptAs="phone"
			submit={words.askPhone}
			submitting={words.asking}
			isBusy={asked.isPending}
			failure={asked.error}
			messages={messages}
			check={(entered) =>
				errorsOf([[textOf(entered, "phone").length < phoneLengthMin, "phone", words.phoneMissing]])
			}
			onSubmit={(entered) => asked.mutate(entered)}
		>
			{(field) => (
				<TextField
					{...field("phone")}
					type="tel"
					label={words.phone}
					hint={hint ?? words.phoneHint}
					autoComplete="tel"
					maxLength={20}
				/>
			)}
		</SubmitForm>
	);
}
