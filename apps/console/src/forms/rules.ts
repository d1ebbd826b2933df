/** What is wrong with the entries of a form, found before the request; without a field, of the whole form. */
export type InputError = { message: string; field?: string };

/** What a form may be refused for: whether it is, the field and the message. */
export type Rule = readonly [isBroken: boolean, field: string | undefined, message: string];

/** The errors of all rules that are broken. Of several about one field the first one counts. */
export function errorsOf(rules: readonly Rule[]): readonly InputError[] {
	const errors = new Map<string | undefined, InputError>();
	for (const [isBroken, field, message] of rules)
		if (isBroken && !errors.has(field)) errors.set(field, { message, ...(field !== undefined && { field }) });
	return [...errors.values()];
}
