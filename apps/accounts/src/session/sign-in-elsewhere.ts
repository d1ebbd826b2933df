/** The channel by which tabs of these pages publish a sign-in. */
const name = "lango-signed-in";

/** Publishes to the other tabs of these pages that this browser is signed in. */
export function announceSignIn(): void {
	const channel = new BroadcastChannel(name);
	channel.postMessage(null);
	channel.close();
}

/**
 * Calls the listener after a sign-in in another tab of these pages, and when the person comes back to this
 * one: they may have signed in elsewhere. Returns how to stop.
 */
export function onSignInElsewhere(listener: () => void): () => void {
	const channel = new BroadcastChannel(name);
	channel.addEventListener("message", listener);
	addEventListener("focus", listener);
	return () => {
		channel.close();
		removeEventListener("focus", listener);
	};
}
