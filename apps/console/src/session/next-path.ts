/** Where to go on after something in between, from `?next=`: a path of these pages, nothing else. */
export function readNext(next: string | undefined): string | undefined {
	if (next === undefined || !next.startsWith("/")) return undefined;
	const parsed = URL.parse(next, location.origin);
	if (parsed === null || parsed.origin !== location.origin || parsed.pathname.startsWith("//"))
		return undefined;
	return parsed.pathname + parsed.search + parsed.hash;
}

/** An address with the way back to this one. */
export function withNext(to: string): string {
	return `${to}?${new URLSearchParams({ next: location.pathname + location.search })}`;
}
