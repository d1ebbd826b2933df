/**
 * Reads a value of an e-mail link (`#token=…`) and removes it from the address and the history. Undefined if
 * the address has none.
 */
export function takeFragment(name: string): string | undefined {
	const value = new URLSearchParams(location.hash.slice(1)).get(name);
	if (value === null) return undefined;
	history.replaceState(history.state, "", location.pathname + location.search);
	return value === "" ? undefined : value;
}
