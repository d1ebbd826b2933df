import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { useWords } from "./words.ts";

type Dialog = {
	title: string;
	/** Called when the person leaves it: Escape, the close button, or whatever its content offers. */
	onClose: () => void;
	/** The buttons at its end; a close button when absent. */
	actions?: ReactNode;
	children: ReactNode;
};

/**
 * A dialog over the page, open as long as it is rendered. The browser's own modal: it keeps the focus inside, gives it
 * back to where it came from, closes on Escape and hides the page from screen readers.
 */
export function Dialog({ title, onClose, actions, children }: Dialog) {
	const dialog = useRef<HTMLDialogElement>(null);
	const titleId = useId();
	const words = useWords();
	// In the layout phase, so that it is closed before it is taken away: only then does the focus go back.
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		return () => element?.close();
	}, []);

	return (
		<dialog
			ref={dialog}
			aria-labelledby={titleId}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
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

type Confirmation = Omit<Dialog, "actions"> & {
	/** The deed in words, for example "Sign out everywhere": never "OK". */
	confirm: string;
	/** What the button says while the deed is under way. */
	busyText?: string | undefined;
	onConfirm: () => void;
};

/** Asks before something that cannot be undone. The way back has the focus. */
export function ConfirmDialog({ confirm, busyText, onConfirm, ...dialog }: Confirmation) {
	const words = useWords();
	const actions = (
		<>
			<Button onClick={dialog.onClose}>{words.cancel}</Button>
			<Button kind="danger" busyText={busyText} onClick={onConfirm}>
				{confirm}
			</Button>
		</>
	);
	return <Dialog {...dialog} actions={actions} />;
}
