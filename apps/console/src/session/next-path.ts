/** Reads `?next=`, the path to continue with. Accepts only paths of the console. */
export function readNext(next: string | undefined): string | undefined {
	if (next === undefined || !next.startsWith("/")) return undefined;
	const parsed = URL.parse(next, location.origin);
	if (parsed === null || parsed.origin !== location.origin || parsed.pathname.startsWith("//"))
		return undefined;
	return parsed.pathname + parsed.search + parsed.hash;
}

/** Adds the current path as `?next=`. */
export function withNext(to: string): string {
	return `${to}?${new URLSearchParams({ next: location.pathname + location.search })}`;
}
