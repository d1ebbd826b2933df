import { Button, type ButtonKind, Dialog } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { type InputError, SubmitForm } from "../forms/submit-form.tsx";
import type { ErrorMessages } from "../notices/explain.ts";
import { useDialogTexts } from "./texts.ts";
import { useIsMounted } from "./use-is-mounted.ts";

type FormButton<T> = {
	/** The button that opens it. */
	label: string;
	kind?: ButtonKind;
	title: string;
	lead?: ReactNode;
	submit: string;
	submitting: string;
	messages?: ErrorMessages;
	fieldMessages?: ErrorMessages;
	check?: (entered: FormData) => InputError | undefined;
	/** Sends the request. An error is shown in the dialog, which stays open. */
	action: (entered: FormData) => Promise<T>;
	/** Called after success, also if the user has left the page. The dialog is already closed. */
	onDone?: (result: T) => unknown;
	/** Called before `onDone` if the user is still on the page. Opens another page. */
	redirect?: (result: T) => unknown;
	children: (faulty: (name: string) => { isFaulty: boolean }) => ReactNode;
};

/** A button that opens a short form. */
export function FormButton<T>({
	label,
	kind = "plain",
	title,
	lead,
	action,
	onDone,
	redirect,
	...form
}: FormButton<T>) {
	const isMounted = useIsMounted();
	const [isOpen, setOpen] = useState(false);
	const id = useId();
	const { cancel } = useDialogTexts();
	const attempt = useMutation({
		mutationFn: action,
		// Runs even if the user has left the page, unlike a callback of `mutate`.
		onSuccess: async (result) => {
			close();
			if (isMounted.current) await redirect?.(result);
			void onDone?.(result);
		},
	});
	const close = () => {
		setOpen(false);
		attempt.reset();
	};
	const actions = (
		<>
			<Button onClick={close} disabled={attempt.isPending}>
				{cancel}
			</Button>
			<Button
				type="submit"
				form={id}
				kind="action"
				busyText={attempt.isPending ? form.submitting : undefined}
			>
				{form.submit}
			</Button>
		</>
	);
	return (
		<>
			<Button kind={kind} onClick={() => setOpen(true)}>
				{label}
			</Button>
			{isOpen && (
				<Dialog title={title} onClose={close} isBusy={attempt.isPending} actions={actions}>
					{lead !== undefined && <div className="mb-4 text-quiet">{lead}</div>}
					<SubmitForm
						{...form}
						id={id}
						isBusy={attempt.isPending}
						fault={attempt.error}
						onSubmit={(entered) => attempt.mutate(entered)}
					/>
				</Dialog>
			)}
		</>
	);
}
