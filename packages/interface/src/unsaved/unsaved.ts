import { type FormEvent, useEffect, useState, useSyncExternalStore } from "react";

/** The forms of this page with entries that are not saved. */
const unsaved = new Set<object>();
const listeners = new Set<() => void>();

function note(form: object, isUnsaved: boolean): void {
	if (unsaved.has(form) === isUnsaved) return;
	if (isUnsaved) unsaved.add(form);
	else unsaved.delete(form);
	for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** Whether a form of this page has entries that are not saved. */
export const hasUnsaved = (): boolean => unsaved.size > 0;

/** The same; the component is rendered again when it changes. */
export const useHasUnsaved = (): boolean => useSyncExternalStore(subscribe, hasUnsaved, hasUnsaved);

/** Whether an event is an entry of a form. A field without a name, such as a search, is not sent. */
export function isEntry({ target }: Pick<FormEvent, "target">): boolean {
	return "name" in target && target.name !== "";
}

type UnsavedForm = {
	/** Whether it has entries that no input event announces, for example a removed row. */
	isChanged?: boolean | undefined;
	/** Whether the last attempt to save failed, so that the entries are still not saved. */
	isRefused?: boolean;
};

/**
 * Notes that a form has entries that are not saved, so that the page asks before it is left (LeaveQuestion).
 * Pass `onInput` to the form, and call `onSent` when it is sent.
 */
export function useUnsaved({ isChanged = false, isRefused = false }: UnsavedForm) {
	const [form] = useState(() => ({}));
	useEffect(() => () => note(form, false), [form]);
	useEffect(() => note(form, isChanged), [form, isChanged]);
	useEffect(() => {
		if (isRefused) note(form, true);
	}, [form, isRefused]);
	return {
		onInput: (event: FormEvent) => {
			if (isEntry(event)) note(form, true);
		},
		onSent: () => note(form, false),
	};
}
