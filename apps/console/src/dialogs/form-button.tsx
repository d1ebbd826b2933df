import { Button } from "@lango/interface";
import { useState } from "react";
import { FormDialog } from "./form-dialog.tsx";
import { useIsMounted } from "./use-is-mounted.ts";

type FormButton<T> = Omit<FormDialog<T>, "title" | "onDone" | "onClose"> & {
	/** The button that opens it, and the title of the dialog. */
	label: string;
	/** Called after success if the user is still on the page. Opens another page. */
	redirect?: (result: T) => unknown;
	/** Called after success, also if the user has left the page. The dialog is already closed. */
	onDone?: (result: T) => unknown;
};

/** A button that opens a short form. */
export function FormButton<T>({ label, redirect, onDone, ...dialog }: FormButton<T>) {
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
			<Button onClick={() => setOpen(true)}>{label}</Button>
			{isOpen && <FormDialog {...dialog} title={label} onDone={finish} onClose={close} />}
		</>
	);
}
