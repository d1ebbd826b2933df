/**
 * Takes a value that came by mail out of the address (`#token=…`), so that neither the history nor a person looking
 * on has it. Undefined when the address has none.
 */
export function takeFragment(name: string): string | undefined {
	const value = new URLSearchParams(location.hash.slice(1)).get(name);
	if (value === null) return undefined;
	history.replaceState(history.state, "", location.pathname + location.search);
	return value === "" ? undefined : value;
}
