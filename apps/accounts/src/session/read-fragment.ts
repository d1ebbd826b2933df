/**
 * Reads a value of an e-mail link (`#token=…`); undefined if the address has none. It stays in the address
 * until it is used, so that a reload keeps it; a fragment is sent to no server.
 */
export function readFragment(name: string): string | undefined {
	return new URLSearchParams(location.hash.slice(1)).get(name) || undefined;
}

/** Removes the used value from the address and the history. */
export function clearFragment(): void {
	history.replaceState(history.state, "", location.pathname + location.search);
}
