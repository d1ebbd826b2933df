import { Button, Dialog, FormError, useFaultFocus } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId, useMemo, useRef, useState } from "react";
import { type ErrorMessages, explain } from "../notices/explain.ts";
import { PlansLink } from "../notices/plans-link.tsx";
import { useNoticeTexts } from "../notices/texts.ts";
import { useDialogTexts } from "./texts.ts";

/** An invalid input, found before the request: the message and the name of the field. */
export type InputError = { message: string; field?: string };

type FormDialog<T> = {
	title: string;
	/** The name of the action, and the text of the button while it runs. */
	confirm: string;
	busyText: string;
	/** Validates the input. The request is sent only if it returns undefined. */
	check?: () => InputError | undefined;
	/** Sends the request. An error is shown in the dialog; the invalid field gets the focus. */
	action: () => Promise<T>;
	onDone: (result: T) => unknown;
	onClose: () => void;
	/** The page's messages by error code. */
	messages?: ErrorMessages;
	/** The fields. Receives the name of the invalid one. */
	children: (faultyField: string | undefined) => ReactNode;
};

const none: ErrorMessages = {};

/** A form in a dialog. */
export function FormDialog<T>({ check, action, onDone, onClose, messages = none, ...dialog }: FormDialog<T>) {
	const form = useRef<HTMLFormElement>(null);
	const formId = useId();
	const texts = useNoticeTexts();
	const { cancel } = useDialogTexts();
	const [inputError, setInputError] = useState<InputError>();
	const attempt = useMutation({
		mutationFn: action,
		// Runs even if the user has left the page, unlike a callback of `mutate`.
		onSuccess: (result) => void onDone(result),
	});
	const { error, isPending } = attempt;
	const fault = useMemo(
		() => inputError ?? (error === null ? undefined : explain(error, { texts, messages })),
		[inputError, error, texts, messages],
	);
	useFaultFocus(form, fault);
	const send = (event: FormEvent) => {
		event.preventDefault();
		if (isPending) return;
		const found = check?.();
		setInputError(found);
		if (found === undefined) attempt.mutate();
	};
	const actions = (
		<>
			<Button onClick={onClose} disabled={isPending}>
				{cancel}
			</Button>
			<Button type="submit" form={formId} kind="action" busyText={isPending ? dialog.busyText : undefined}>
				{dialog.confirm}
			</Button>
		</>
	);
	return (
		<Dialog title={dialog.title} onClose={onClose} isBusy={isPending} actions={actions}>
			<form id={formId} ref={form} noValidate onSubmit={send} aria-busy={isPending}>
				<FormError
					message={fault?.message}
					reference={fault !== undefined && "reference" in fault ? fault.reference : undefined}
				>
					{fault !== undefined && "isUpgrade" in fault && fault.isUpgrade && <PlansLink />}
				</FormError>
				{dialog.children(fault?.field)}
			</form>
		</Dialog>
	);
}
