import { Button, FormError, useErrorFocus, useKeptEntries, useSending, useUnsaved } from "@lango/interface";
import { type FormEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { type ErrorMessages, explain } from "../notices/explain.ts";
import { PlansLink } from "../notices/plans-link.tsx";
import { useNoticeTexts } from "../notices/texts.ts";
import { type Check, findErrors } from "./input-errors.ts";
import type { InputError } from "./rules.ts";

/** Returns the name of a field, and the error that is about it. */
export type Field = (name: string) => { name: string; isInvalid: boolean; error: string | undefined };

export type SubmitFormFields = {
	/** The page's messages by error code, and by the field that the error names. */
	messages?: ErrorMessages;
	fieldMessages?: ErrorMessages;
	/** Validates the input. The request is sent only if nothing is wrong. */
	check?: Check;
	children: (field: Field) => ReactNode;
};

type SubmitForm = SubmitFormFields & {
	/** Whether it has entries that no input event announces, for example a removed row. */
	isChanged?: boolean;
	/** Under which name its entries are kept in this tab, where a page has several forms. */
	keptAs?: string;
	isBusy: boolean;
	/** The error of the last attempt; null if it succeeded. */
	failure: unknown;
	onSubmit: (entered: FormData) => void;
} & (
		| {
				submit: string;
				submitting: string;
				/** Whether a dialog asks before the entries are sent. */
				opensDialog?: boolean;
				/** Shown beside the submit button. */
				aside?: ReactNode;
		  }
		/** Connects a submit button outside of the form, as in a dialog. The form then has no button. */
		| { id: string }
	);

const none: ErrorMessages = {};
const nothing: readonly InputError[] = [];

/**
 * A form with validation. All errors are announced above the fields and shown at their fields, and the first
 * invalid field gets the focus. Entries that are not saved are kept in the tab, and noted:
 * gate/leave-guard.tsx asks before the page is left.
 */
export function SubmitForm({
	isChanged,
	keptAs = "",
	isBusy,
	failure,
	check,
	onSubmit,
	messages = none,
	fieldMessages = none,
	...form
}: SubmitForm) {
	const { missing } = useNoticeTexts();
	const [inputErrors, setInputErrors] = useState(nothing);
	const element = useRef<HTMLFormElement>(null);
	const refusal = useRefusal({ failure: isBusy ? null : failure, messages, fieldMessages });
	const errors = useMemo(
		() => (inputErrors.length > 0 || refusal === undefined ? inputErrors : [refusal]),
		[inputErrors, refusal],
	);
	useErrorFocus(element, errors);
	const { onInput, onSent } = useUnsaved({ isChanged, isRefused: refusal !== undefined });
	const keep = useKeptEntries(element, keptAs, { isBusy, failure });
	const enter = (event: FormEvent<HTMLFormElement>) => {
		onInput(event);
		keep(event);
	};
	const sending = useSending(isBusy);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (isBusy || sending.isBegun()) return;
		const found = findErrors(event.currentTarget, check, missing);
		setInputErrors(found);
		if (found.length > 0) return;
		onSent();
		// A dialog that asks sends nothing yet: it may be opened again at once.
		if (!("submit" in form && form.opensDialog === true)) sending.begin();
		onSubmit(new FormData(event.currentTarget));
	};
	return (
		<form
			id={"id" in form ? form.id : undefined}
			ref={element}
			noValidate
			onInput={enter}
			onSubmit={submit}
			aria-busy={isBusy}
		>
			<FormError
				errors={errors}
				reference={refusal?.reference}
				retryAfterSeconds={inputErrors.length === 0 ? refusal?.retryAfterSeconds : undefined}
			>
				{inputErrors.length === 0 && refusal?.isUpgrade && <PlansLink />}
			</FormError>
			{form.children((name) => {
				const found = errors.find(({ field }) => isAbout(field, name));
				return { name, isInvalid: found !== undefined, error: found?.message };
			})}
			{"submit" in form && (
				<div className="mt-7 flex flex-wrap gap-3">
					<Button
						type="submit"
						kind="action"
						aria-haspopup={form.opensDialog ? "dialog" : undefined}
						busyText={isBusy ? form.submitting : undefined}
					>
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
		const { message, retryAfterSeconds, field, reference, isUpgrade } = explain(failure, { texts, messages });
		const named = [field ?? "", field?.split(".", 1)[0] ?? ""].find((name) =>
			Object.hasOwn(fieldMessages, name),
		);
		const fieldMessage = named === undefined ? undefined : fieldMessages[named];
		return {
			message: fieldMessage ?? message,
			retryAfterSeconds,
			field,
			reference: fieldMessage === undefined ? reference : undefined,
			isUpgrade,
		};
	}, [failure, texts, messages, fieldMessages]);
}
