import { Button } from "@lango/interface";
import { useState } from "react";
import { FormDialog } from "./form-dialog.tsx";
import { useIsMounted } from "./use-is-mounted.ts";

type FormButton<T> = Omit<FormDialog<T>, "title" | "onDone" | "onClose"> & {
	/** The button that opens it. */
	label: string;
	/** The title of the dialog, and the button's name for screen readers if its label is ambiguous. */
	title?: string;
	/** Called after success if the user is still on the page. Opens another page. */
	redirect?: (result: T) => unknown;
	/** Called after success, also if the user has left the page. The dialog is already closed. */
	onDone?: (result: T) => unknown;
};

/** A button that opens a short form. */
export function FormButton<T>({ label, title, redirect, onDone, ...dialog }: FormButton<T>) {
	const isMounted = useIsMounted();
	const [isOpen, setOpen] = useState(false);
	const close = () => setOpen(false);
	const finish = async (result: T) => {
		close();
		if (isMounted.current) await redirect?.(result);
		await onDone?.(result);
	};
	return (
		<>
			<Button
				kind={dialog.isDestructive ? "remove" : "plain"}
				aria-haspopup="dialog"
				aria-label={title}
				onClick={() => setOpen(true)}
			>
				{label}
			</Button>
			{isOpen && <FormDialog {...dialog} title={title ?? label} onDone={finish} onClose={close} />}
		</>
	);
}
