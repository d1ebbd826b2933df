import { type RefObject, useEffect } from "react";
import type { FieldError } from "./form-error.tsx";

/**
 * Moves the focus to the first invalid field, or to the form's error if it names no field of the form, and
 * scrolls to it. `errors` is a new list for each failed attempt, so that a repeated error moves the focus
 * again.
 */
export function useErrorFocus(
	form: RefObject<HTMLFormElement | null>,
	errors: readonly Pick<FieldError, "field">[],
): void {
	useEffect(() => {
		const [first] = errors;
		if (first === undefined) return;
		const summary = form.current?.querySelector<HTMLElement>('[role="alert"]');
		if (focusField(form.current, first.field ?? "")) showAbove(summary, document.activeElement);
		else summary?.focus();
	}, [form, errors]);
}

/** The part of the window's height within which a field is shown together with the summary. */
const sharedHeight = 0.75;

/** Scrolls to the summary, too, if the field stays in view. */
function showAbove(summary: Element | null | undefined, field: Element | null): void {
	if (!summary || !field) return;
	const height = field.getBoundingClientRect().bottom - summary.getBoundingClientRect().top;
	if (height < innerHeight * sharedHeight) summary.scrollIntoView({ block: "nearest" });
}

/** Moves the focus to a field of a form, and scrolls to it. Returns whether the form has the field. */
export function focusField(form: HTMLFormElement | null, name: string): boolean {
	const field = findField(form, name);
	if (!(field instanceof HTMLElement)) return false;
	field.focus({ preventScroll: true });
	field.scrollIntoView({ block: "center" });
	if (field instanceof HTMLInputElement && !["radio", "checkbox"].includes(field.type)) field.select();
	return true;
}

/** The element of a field. An error about "email.burst" may be about a field "email". */
export function findField(form: HTMLFormElement | null, name: string): Element | null | undefined {
	const elements = form?.elements;
	const found = elements?.namedItem(name) ?? elements?.namedItem(name.split(".", 1)[0] ?? "");
	// Several boxes have one name, and a search may hide some of them.
	return found instanceof RadioNodeList ? [...found].find(isShown) : found;
}

const isShown = (node: Node): node is Element => node instanceof Element && node.checkVisibility();
