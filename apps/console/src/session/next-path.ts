/** Reads `?next=`, the path to continue with. Accepts only paths of the console. */
export function readNext(next: string | undefined): string | undefined {
	if (next === undefined || !next.startsWith("/")) return undefined;
	const parsed = URL.parse(next, location.origin);
	if (parsed === null || parsed.origin !== location.origin || parsed.pathname.startsWith("//"))
		return undefined;
	return parsed.pathname + parsed.search + parsed.hash;
}

/** Adds the current path as `?next=`. A page that is open already keeps its own. */
export function withNext(to: string): string {
	if (location.pathname === to) return to + location.search;
	return `${to}?${new URLSearchParams({ next: location.pathname + location.search })}`;
}

/** Adds the `?next=` of the current address, if it has one. */
export function keepNext(to: string): string {
	const next = new URLSearchParams(location.search).get("next");
	return next === null ? to : `${to}?${new URLSearchParams({ next })}`;
}
