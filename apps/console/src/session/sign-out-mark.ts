const key = "lango-console-signed-out";

/** Notes for the next page of this tab that its session ended: it says so instead of asking to sign in at once. */
export function markSignedOut(): void {
	use((tab) => tab.setItem(key, "1"));
}

/** Whether the session of this tab has just ended. */
export function isMarkedSignedOut(): boolean {
	return use((tab) => tab.getItem(key)) === "1";
}

/** Forgets the mark: the person signs in again. */
export function clearSignedOut(): void {
	use((tab) => tab.removeItem(key));
}

/** A browser that keeps nothing asks to sign in at once. */
function use<T>(look: (tab: Storage) => T): T | undefined {
	try {
		return look(sessionStorage);
	} catch {
		return undefined;
	}
}
