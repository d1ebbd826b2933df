import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { useWords } from "./words.ts";

type Dialog = {
	title: string;
	/** Called when the person leaves it: Escape, the close button, or whatever its content offers. */
	onClose: () => void;
	/** Whether its deed is under way: nothing leaves it then, so that nobody takes for undone what is being done. */
	isBusy?: boolean;
	/** The buttons at its end; a close button when absent. */
	actions?: ReactNode;
	children: ReactNode;
};

/**
 * A dialog over the page, open as long as it is rendered. The browser's own modal: it keeps the focus inside, gives it
 * back to where it came from, closes on Escape and hides the page from screen readers.
 */
export function Dialog({ title, onClose, isBusy = false, actions, children }: Dialog) {
	const dialog = useRef<HTMLDialogElement>(null);
	const titleId = useId();
	const words = useWords();
	// In the layout phase, so that it is closed before it is taken away: only then does the focus go back.
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		return () => element?.close();
	}, []);
	useNoEscape(isBusy);
	const leave = () => {
		if (!isBusy) onClose();
		// A phone's way back closes it without asking.
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

/** Escape does nothing meanwhile. It is the key that is refused: a browser whose question was refused once does not ask again. */
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
	/** The deed in words, for example "Sign out everywhere": never "OK". */
	confirm: string;
	/** What the button says while the deed is under way. */
	busyText?: string | undefined;
	onConfirm: () => void;
};

/** Asks before something that cannot be undone. The way back has the focus. */
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
