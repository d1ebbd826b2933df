import { type RefObject, useEffect } from "react";

/**
 * Moves the focus to the invalid field, or to the form's error if no field is named. `failure` is a new
 * object for each failed attempt, so that a repeated error moves the focus again.
 */
export function useErrorFocus(
	form: RefObject<HTMLFormElement | null>,
	failure: { field?: string | undefined } | undefined,
): void {
	useEffect(() => {
		if (failure === undefined) return;
		const field = failure.field === undefined ? null : form.current?.elements.namedItem(failure.field);
		const target =
			field instanceof HTMLElement ? field : form.current?.querySelector<HTMLElement>('[role="alert"]');
		target?.focus();
		if (target instanceof HTMLInputElement && !["radio", "checkbox"].includes(target.type)) target.select();
	}, [form, failure]);
}
