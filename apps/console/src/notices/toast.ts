import { useSyncExternalStore } from "react";

/** A message over the page. Kind "done" disappears by itself; other kinds stay until they are dismissed. */
export type Toast = { id: number; kind: "done" | "warning" | "error"; text: string; isUpgrade?: boolean };

const shownMax = 3;
const doneMilliseconds = 8_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
let isOpen = true;
const listeners = new Set<() => void>();

/**
 * Shows a toast on any page. Equal texts are shown once. Between the end of a session and the next sign-in,
 * nothing is shown: an action that completes then belongs to the previous user.
 */
export function showToast(kind: Toast["kind"], text: string, more: Pick<Toast, "isUpgrade"> = {}): void {
	if (!isOpen) return;
	lastId += 1;
	const id = lastId;
	const others = toasts.filter((toast) => toast.text !== text);
	set([...others, { id, kind, text, ...more }].slice(-shownMax));
	if (kind === "done") setTimeout(() => dismissToast(id), doneMilliseconds);
}

/** Removes all toasts, because the page changes: they are about the one that is left. */
export const endToasts = (): void => set([]);

export function dismissToast(id: number): void {
	set(toasts.filter((toast) => toast.id !== id));
}

/** Removes all toasts and rejects new ones until `openToasts`, because the session ended. */
export function closeToasts(): void {
	isOpen = false;
	set([]);
}

/** Accepts toasts again after a sign-in. */
export function openToasts(): void {
	isOpen = true;
}

/** The visible toasts, oldest first. */
export const listToasts = (): readonly Toast[] => toasts;

export function useToasts(): readonly Toast[] {
	return useSyncExternalStore(listen, listToasts);
}

function set(next: readonly Toast[]): void {
	toasts = next;
	for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}
