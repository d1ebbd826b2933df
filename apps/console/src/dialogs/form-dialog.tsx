import { Button, Dialog } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { SubmitForm, type SubmitFormFields } from "../forms/submit-form.tsx";
import { useDialogTexts } from "./texts.ts";

export type FormDialog<T> = SubmitFormFields & {
	title: string;
	lead?: ReactNode;
	/** The name of the action, and the text of the button while it runs. */
	confirm: string;
	busyText: string;
	/** Sends the request. An error is shown in the dialog; the invalid field gets the focus. */
	action: (entered: FormData) => Promise<T>;
	/** Called after success, also if the user has left the page. Closes the dialog. */
	onDone: (result: T) => unknown;
	onClose: () => void;
};

/** A form in a dialog. */
export function FormDialog<T>({ title, lead, confirm, busyText, ...dialog }: FormDialog<T>) {
	const { action, onDone, onClose, ...form } = dialog;
	const id = useId();
	const { cancel } = useDialogTexts();
	const { mutate, isPending, error } = useMutation({
		mutationFn: action,
		// Runs even if the user has left the page, unlike a callback of `mutate`.
		onSuccess: (result) => void onDone(result),
	});
	const actions = (
		<>
			<Button onClick={onClose} disabled={isPending}>
				{cancel}
			</Button>
			<Button type="submit" form={id} kind="action" busyText={isPending ? busyText : undefined}>
				{confirm}
			</Button>
		</>
	);
	return (
		<Dialog title={title} onClose={onClose} isBusy={isPending} actions={actions}>
			{lead !== undefined && <div className="mb-4 text-quiet">{lead}</div>}
			<SubmitForm
				{...form}
				id={id}
				isBusy={isPending}
				fault={error}
				onSubmit={(entered) => mutate(entered)}
			/>
		</Dialog>
	);
}
