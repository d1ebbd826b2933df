import { withTabStorage } from "./tab-storage.ts";

const key = "lango-console-signed-out";

/** Marks that the session of this tab ended: the next page starts no sign-in, except without storage. */
export function markSignedOut(): void {
	withTabStorage((tab) => tab.setItem(key, "1"));
}

/** Whether the session of this tab has just ended. */
export function isMarkedSignedOut(): boolean {
	return withTabStorage((tab) => tab.getItem(key)) === "1";
}

/** Removes the mark when a sign-in starts. */
export function clearSignedOut(): void {
	withTabStorage((tab) => tab.removeItem(key));
}
