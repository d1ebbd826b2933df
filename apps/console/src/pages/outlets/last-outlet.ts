const key = "console-session-outlet-id";

/** The outlet that was chosen for a session on this device last time. */
export function lastOutletId(): string | undefined {
	try {
		return localStorage.getItem(key) ?? undefined;
	} catch {
		return undefined;
	}
}

/** Remembers a choice for the next time. */
export function rememberOutlet(id: string): void {
	try {
		localStorage.setItem(key, id);
	} catch {
		// A browser that keeps nothing for this page shows the outlets in their order the next time; the choice itself is made.
	}
}

/** The outlets a session may be at: those the sign-on service names, headquarters too; all where it names none. */
export function offeredOf<T extends { id: string }>(
	outlets: readonly T[],
	ids: readonly string[] | undefined,
): readonly T[] {
	return ids === undefined ? outlets : outlets.filter(({ id }) => ids.includes(id));
}

/** Outlets with the one chosen last first, the rest as they stood (§5.15). */
export function lastFirst<T extends { id: string }>(
	outlets: readonly T[],
	lastId: string | undefined,
): readonly T[] {
	return outlets.toSorted((one, other) => Number(other.id === lastId) - Number(one.id === lastId));
}
