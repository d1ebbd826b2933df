import { findField } from "@lango/interface";
import type { InputError } from "./rules.ts";

/** Validates the input. Returns all that is wrong. */
export type Check = (entered: FormData) => readonly InputError[];

/** Returns what is wrong with the input of a form, also required fields that are empty, in their order. */
export function findErrors(form: HTMLFormElement, check: Check | undefined, missing: string) {
	const found = check?.(new FormData(form)) ?? [];
	const others = emptyFields(form).filter((name) => found.every(({ field }) => field !== name));
	const errors = [...found, ...others.map((field) => ({ field, message: missing }))];
	return errors.map((error) => distinct(error, errors, form)).toSorted(byPlace(form));
}

/** The same message of several fields names the field, so that the summary says which is which. */
function distinct(error: InputError, errors: readonly InputError[], form: HTMLFormElement): InputError {
	const { field = "", message } = error;
	if (errors.filter((one) => one.message === message).length < 2) return error;
	const element = findField(form, field);
	const label = element && "labels" in element ? (element as HTMLInputElement).labels?.[0] : undefined;
	return label ? { field, message: `${label.textContent}: ${message}` } : error;
}

/** The names of the required fields that are empty. */
function emptyFields(form: HTMLFormElement): string[] {
	const names = [...form.elements].flatMap((field) =>
		"validity" in field && "name" in field && (field.validity as ValidityState).valueMissing
			? [String(field.name)]
			: [],
	);
	return [...new Set(names)].filter((name) => name !== "");
}

/** Orders errors by the place of their fields; those without a field come last. */
function byPlace(form: HTMLFormElement): (one: InputError, other: InputError) => number {
	const fields = [...form.elements];
	const placeOf = ({ field = "" }: InputError) => {
		const element = findField(form, field);
		return element instanceof Element ? fields.indexOf(element) : fields.length;
	};
	return (one, other) => placeOf(one) - placeOf(other);
}
