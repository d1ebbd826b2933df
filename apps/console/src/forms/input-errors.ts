import { type FieldError, findField } from "@lango/interface";

/** An invalid input, found before the request: the message and the name of the field. */
export type InputError = FieldError;

/**
 * Validates the input. Returns all that is wrong, or only the first error: then the required fields that are
 * empty are added.
 */
export type Check = (entered: FormData) => InputError | readonly InputError[] | undefined;

const none: readonly InputError[] = [];

/** Returns what is wrong with the input of a form, in the order of its fields. */
export function findErrors(form: HTMLFormElement, check: Check | undefined, missing: string) {
	const found = check?.(new FormData(form));
	if (found === undefined) return none;
	if (!isOne(found)) return found.toSorted(byPlace(form));
	const others = emptyFields(form).filter((name) => name !== found.field);
	return [found, ...others.map((field) => ({ field, message: missing }))].toSorted(byPlace(form));
}

const isOne = (found: InputError | readonly InputError[]): found is InputError => !Array.isArray(found);

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
