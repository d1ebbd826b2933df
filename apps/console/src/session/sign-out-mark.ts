const key = "lango-console-signed-out";

/** Marks that the session of this tab ended, so that the next page does not start a sign-in. */
export function markSignedOut(): void {
	use((tab) => tab.setItem(key, "1"));
}

/** Whether the session of this tab has just ended. */
export function isMarkedSignedOut(): boolean {
	return use((tab) => tab.getItem(key)) === "1";
}

/** Removes the mark when a sign-in starts. */
export function clearSignedOut(): void {
	use((tab) => tab.removeItem(key));
}

/** Without storage, the next page starts a sign-in. */
function use<T>(access: (tab: Storage) => T): T | undefined {
	try {
		return access(sessionStorage);
	} catch {
		return undefined;
	}
}
