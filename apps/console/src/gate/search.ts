/** Keeps the named search parameters that are present. */
export const readSearch =
	<Name extends string>(...names: Name[]) =>
	(search: Partial<Record<Name, string>>): Partial<Record<Name, string>> => {
		const given = names.filter((name) => search[name] !== undefined);
		return Object.fromEntries(given.map((name) => [name, search[name]])) as typeof search;
	};

/** Reads search parameters as text: a search for "123" does not become a number. */
export function parseSearch(search: string): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(search));
}

/** Returns search parameters as text, without empty ones. */
export function stringifySearch(search: Record<string, unknown>): string {
	const given = Object.entries(search).flatMap(([name, value]) =>
		value === undefined || value === "" ? [] : [[name, String(value)]],
	);
	return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
