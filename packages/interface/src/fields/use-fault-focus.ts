import { type RefObject, useEffect } from "react";

/**
 * Moves the focus to the invalid field, or to the form's error if no field is named. `fault` is a new
 * object for each failed attempt, so that a repeated error moves the focus again.
 */
export function useFaultFocus(
	form: RefObject<HTMLFormElement | null>,
	fault: { field?: string | undefined } | undefined,
): void {
	useEffect(() => {
		if (fault === undefined) return;
		const field = fault.field === undefined ? null : form.current?.elements.namedItem(fault.field);
		const target =
			field instanceof HTMLElement ? field : form.current?.querySelector<HTMLElement>('[role="alert"]');
		target?.focus();
		if (target instanceof HTMLInputElement && !["radio", "checkbox"].includes(target.type)) target.select();
	}, [form, fault]);
}
