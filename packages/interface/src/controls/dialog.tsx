import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useWords } from "../texts/words.ts";
import { isEntry } from "../unsaved/unsaved.ts";
import { Button } from "./button.tsx";

type Dialog = {
	title: string;
	/** Called when the user closes it: by Escape, the close button or a button of its actions. */
	onClose: () => void;
	/** Whether its action is running. The dialog cannot be closed then. */
	isBusy?: boolean;
	/** The buttons at its end. Default: a close button. */
	actions?: ReactNode;
	children: ReactNode;
};

/**
 * A dialog over the page, open while it is rendered. It uses the browser's modal dialog, which traps and
 * restores the focus, closes on Escape and hides the page from screen readers. If something was entered,
 * Escape and the back gesture ask first.
 */
export function Dialog({ title, onClose, isBusy = false, actions, children }: Dialog) {
	const dialog = useRef<HTMLDialogElement>(null);
	const titleId = useId();
	const words = useWords();
	const hasEntries = useRef(false);
	const [isAsking, setAsking] = useState(false);
	// A layout effect closes the dialog before it is unmounted. Only then does the browser restore the focus.
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		return () => element?.close();
	}, []);
	useNoEscape(isBusy);
	const leave = () => {
		if (!isBusy && !hasEntries.current) return onClose();
		// The back gesture of a phone closes it without a cancel event.
		if (dialog.current?.open === false) dialog.current.showModal();
		setAsking(!isBusy);
	};

	return (
		<>
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
				onInput={(event) => {
					hasEntries.current ||= isEntry(event);
				}}
				className="m-auto max-h-dvh w-full max-w-lg scroll-pb-28 flex-col overflow-y-auto bg-wall text-start text-ink open:flex max-sm:h-dvh max-sm:max-w-none sm:max-h-[90dvh] sm:w-[calc(100%-2rem)] sm:rounded-t-3xl sm:rounded-b-xl sm:border sm:border-hair"
			>
				<h2
					id={titleId}
					className="px-5 pt-5 font-display text-2xl leading-tight text-balance sm:px-8 sm:pt-8"
				>
					{title}
				</h2>
				<div className="grow px-5 pt-3 pb-6 sm:px-8">{children}</div>
				<div className="sticky bottom-0 z-10 flex flex-col-reverse gap-3 border-t border-hair bg-wall px-5 py-4 sm:flex-row sm:justify-end sm:px-8">
					{actions ?? <Button onClick={onClose}>{words.close}</Button>}
				</div>
			</dialog>
			{isAsking && <DiscardQuestion onStay={() => setAsking(false)} onDiscard={onClose} />}
		</>
	);
}

function DiscardQuestion({ onStay, onDiscard }: { onStay: () => void; onDiscard: () => void }) {
	const { unsaved } = useWords();
	return (
		<ConfirmDialog
			title={unsaved.discard}
			isDestructive
			confirm={unsaved.discardIt}
			cancel={unsaved.stay}
			onConfirm={onDiscard}
			onClose={onStay}
		>
			{unsaved.lost}
		</ConfirmDialog>
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
	/** The label of the other button. Default: "Cancel". */
	cancel?: string;
	/** Whether something is lost or ends: the confirm button warns by its look. */
	isDestructive?: boolean;
	/** A text to type before it can be confirmed, such as a name. */
	typed?: string | undefined;
	/** The label of the confirm button while the action runs. */
	busyText?: string | undefined;
	onConfirm: () => void;
};

type TypedText = { typed: string; text: string; onChange: (text: string) => void };

/** It has no name, so that it does not count as an entry that could be lost. */
function TypedText({ typed, text, onChange }: TypedText) {
	const words = useWords();
	return (
		<label className="mt-5 block">
			<span className="mb-1.5 block font-semibold wrap-anywhere">{words.typeToConfirm(typed)}</span>
			<input
				value={text}
				autoComplete="off"
				spellCheck={false}
				onChange={({ target }) => onChange(target.value)}
				className="min-h-12 w-full rounded-lg border border-edge bg-field px-3.5 text-lg"
			/>
		</label>
	);
}

/** Asks before an action that cannot be undone. The cancel button has the focus. */
export function ConfirmDialog({ confirm, cancel, busyText, onConfirm, ...asked }: Confirmation) {
	const { isDestructive = false, typed, children, ...dialog } = asked;
	const words = useWords();
	const [text, setText] = useState("");
	const isTyped = typed === undefined || text.trim() === typed;
	const isBusy = busyText !== undefined;
	const actions = (
		<>
			<Button onClick={dialog.onClose} disabled={isBusy}>
				{cancel ?? words.cancel}
			</Button>
			<Button
				kind={isDestructive ? "danger" : "action"}
				busyText={busyText}
				disabled={!isTyped}
				onClick={onConfirm}
			>
				{confirm}
			</Button>
		</>
	);
	return (
		<Dialog {...dialog} isBusy={isBusy} actions={actions}>
			{children}
			{typed !== undefined && <TypedText typed={typed} text={text} onChange={setText} />}
		</Dialog>
	);
}
