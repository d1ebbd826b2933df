import { Button, FormError, useErrorFocus } from "@lango/interface";
import { type FormEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { type ErrorMessages, explain } from "../notices/explain.ts";
import { PlansLink } from "../notices/plans-link.tsx";
import { useNoticeTexts } from "../notices/texts.ts";

/** An invalid input, found before the request: the message and the name of the field. */
export type InputError = { message: string; field?: string };

/** Returns the name of a field, and whether the error is about it. */
export type Field = (name: string) => { name: string; isInvalid: boolean };

export type SubmitFormFields = {
	/** The page's messages by error code, and by the field that the error names. */
	messages?: ErrorMessages;
	fieldMessages?: ErrorMessages;
	/** Validates the input. The request is sent only if it returns undefined. */
	check?: (entered: FormData) => InputError | undefined;
	children: (field: Field) => ReactNode;
};

type SubmitForm = SubmitFormFields & {
	isBusy: boolean;
	/** The error of the last attempt; null if it succeeded. */
	failure: unknown;
	onSubmit: (entered: FormData) => void;
} & (
		| {
				submit: string;
				submitting: string;
				/** Shown beside the submit button. */
				aside?: ReactNode;
		  }
		/** Connects a submit button outside of the form, as in a dialog. The form then has no button. */
		| { id: string }
	);

const none: ErrorMessages = {};

/** A form with validation. An error is shown and announced, and the invalid field gets the focus. */
export function SubmitForm({
	isBusy,
	failure,
	check,
	onSubmit,
	messages = none,
	fieldMessages = none,
	...form
}: SubmitForm) {
	const [inputError, setInputError] = useState<InputError>();
	const element = useRef<HTMLFormElement>(null);
	const refusal = useRefusal({ failure: isBusy ? null : failure, messages, fieldMessages });
	const error = inputError ?? refusal;
	useErrorFocus(element, error);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (isBusy) return;
		const entered = new FormData(event.currentTarget);
		const found = check?.(entered);
		setInputError(found);
		if (found === undefined) onSubmit(entered);
	};
	return (
		<form
			id={"id" in form ? form.id : undefined}
			ref={element}
			noValidate
			onSubmit={submit}
			aria-busy={isBusy}
		>
			<FormError message={error?.message} reference={refusal?.reference}>
				{inputError === undefined && refusal?.isUpgrade && <PlansLink />}
			</FormError>
			{form.children((name) => ({ name, isInvalid: isAbout(error?.field, name) }))}
			{"submit" in form && (
				<div className="mt-7 flex flex-wrap gap-3">
					<Button type="submit" kind="action" busyText={isBusy ? form.submitting : undefined}>
						{form.submit}
					</Button>
					{form.aside}
				</div>
			)}
		</form>
	);
}

/** Whether an error is about a field: "email.burst" is about the field of that name, or about "email". */
const isAbout = (field: string | undefined, name: string) =>
	field === name || field?.split(".", 1)[0] === name;

type Refusal = { failure: unknown; messages: ErrorMessages; fieldMessages: ErrorMessages };

/** The message for a failed request: the page's message for the field, otherwise the message for the code. */
function useRefusal({ failure, messages, fieldMessages }: Refusal) {
	const texts = useNoticeTexts();
	// A new object for each failed attempt, so that the same error moves the focus again.
	return useMemo(() => {
		if (failure === null || failure === undefined) return undefined;
		const { message, field, reference, isUpgrade } = explain(failure, { texts, messages });
		const base = field?.split(".", 1)[0];
		const fieldMessage =
			base !== undefined && Object.hasOwn(fieldMessages, base) ? fieldMessages[base] : undefined;
		return {
			message: fieldMessage ?? message,
			field,
			reference: fieldMessage === undefined ? reference : undefined,
			isUpgrade,
		};
	}, [failure, texts, messages, fieldMessages]);
}
