import { TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
import type { ErrorMessages } from "../../notices/explain.ts";

type CardForm = {
	/** Opens the card gateway's page, and returns its address. */
	open: (email: string) => Promise<string>;
	/** The payer's e-mail address; undefined: it is not asked for. */
	email: Omit<Parameters<typeof TextField>[0], "name"> | undefined;
	texts: { submit: string; submitting: string; emailInvalid: string };
	messages: ErrorMessages;
	fieldMessages?: ErrorMessages;
};

const none: ErrorMessages = {};
const emailForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** A form that opens the card gateway's page. */
export function CardForm({ open, email, texts, messages, fieldMessages = none }: CardForm) {
	const opened = useMutation({
		mutationFn: (entered: FormData) => open(textOf(entered, "email")),
		onSuccess: (address) => window.location.assign(address),
	});
	const isFine = (text: string) =>
		email === undefined || (text === "" && email.isOptional) || emailForm.test(text);
	return (
		<SubmitForm
			keptAs="card"
			submit={texts.submit}
			submitting={texts.submitting}
			isBusy={opened.isPending || opened.isSuccess}
			failure={opened.error}
			messages={messages}
			fieldMessages={fieldMessages}
			check={(entered) => errorsOf([[!isFine(textOf(entered, "email")), "email", texts.emailInvalid]])}
			onSubmit={(entered) => opened.mutate(entered)}
		>
			{(field) =>
				email !== undefined && <TextField {...email} {...field("email")} type="email" maxLength={254} />
			}
		</SubmitForm>
	);
}
