import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { useWords } from "../texts/words.ts";
import { Button } from "./button.tsx";

type Dialog = {
	title: string;
	/** Called when the user closes it: by Escape, the close button or a button of the content. */
	onClose: () => void;
	/** Whether its action is running. The dialog cannot be closed then. */
	isBusy?: boolean;
	/** The buttons at its end. Default: a close button. */
	actions?: ReactNode;
	children: ReactNode;
};

/**
 * A dialog over the page, open while it is rendered. It uses the browser's modal dialog, which traps and
 * restores the focus, closes on Escape and hides the page from screen readers.
 */
export function Dialog({ title, onClose, isBusy = false, actions, children }: Dialog) {
	const dialog = useRef<HTMLDialogElement>(null);
	const titleId = useId();
	const words = useWords();
	// A layout effect closes the dialog before it is unmounted. Only then does the browser restore the focus.
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		return () => element?.close();
	}, []);
	useNoEscape(isBusy);
	const leave = () => {
		if (!isBusy) onClose();
		// The back gesture of a phone closes it without a cancel event.
		else if (dialog.current?.open === false) dialog.current.showModal();
	};

	return (
		<dialog
			ref={dialog}
			aria-labelledby={titleId}
			onCancel={(event) => {
				event.preventDefault();
				leave();
			}}
			onClose={(event) => {
				if (!event.currentTarget.open) leave();
			}}
			className="m-auto max-h-[90dvh] w-[calc(100%-2rem)] max-w-lg overflow-y-auto rounded-t-3xl rounded-b-xl border border-hair bg-wall p-6 text-start text-ink md:p-8"
		>
			<h2 id={titleId} className="font-display text-2xl leading-tight text-balance">
				{title}
			</h2>
			<div className="mt-3">{children}</div>
			<div className="mt-7 flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
				{actions ?? <Button onClick={onClose}>{words.close}</Button>}
			</div>
		</dialog>
	);
}

/**
 * Ignores Escape while busy. The key event is cancelled because a browser fires the dialog's cancel event
 * only once.
 */
function useNoEscape(isBusy: boolean): void {
	useEffect(() => {
		if (!isBusy) return;
		const refuse = (event: KeyboardEvent) => {
			if (event.key === "Escape") event.preventDefault();
		};
		addEventListener("keydown", refuse, true);
		return () => removeEventListener("keydown", refuse, true);
	}, [isBusy]);
}

type Confirmation = Omit<Dialog, "actions" | "isBusy"> & {
	/** The label of the confirm button, for example "Sign out everywhere". Never "OK". */
	confirm: string;
	/** The label of the confirm button while the action runs. */
	busyText?: string | undefined;
	onConfirm: () => void;
};

/** Asks before an action that cannot be undone. The cancel button has the focus. */
export function ConfirmDialog({ confirm, busyText, onConfirm, ...dialog }: Confirmation) {
	const words = useWords();
	const isBusy = busyText !== undefined;
	const actions = (
		<>
			<Button onClick={dialog.onClose} disabled={isBusy}>
				{words.cancel}
			</Button>
			<Button kind="danger" busyText={busyText} onClick={onConfirm}>
				{confirm}
			</Button>
		</>
	);
	return <Dialog {...dialog} isBusy={isBusy} actions={actions} />;
}
