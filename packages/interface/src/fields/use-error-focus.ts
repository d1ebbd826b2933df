import { type RefObject, useEffect } from "react";

/**
 * Moves the focus to the invalid field, or to the form's error if no field is named. An error about
 * "email.burst" may be about a field "email". `failure` is a new object for each failed attempt, so that a
 * repeated error moves the focus again.
 */
export function useErrorFocus(
	form: RefObject<HTMLFormElement | null>,
	failure: { field?: string | undefined } | undefined,
): void {
	useEffect(() => {
		if (failure === undefined) return;
		const elements = form.current?.elements;
		const { field: name = "" } = failure;
		const found = elements?.namedItem(name) ?? elements?.namedItem(name.split(".", 1)[0] ?? "");
		// Several boxes have one name.
		const field = found instanceof RadioNodeList ? found[0] : found;
		const target =
			field instanceof HTMLElement ? field : form.current?.querySelector<HTMLElement>('[role="alert"]');
		target?.focus();
		if (target instanceof HTMLInputElement && !["radio", "checkbox"].includes(target.type)) target.select();
	}, [form, failure]);
}
