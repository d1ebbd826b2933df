import type { Context } from "@lango/chassis";
import { listen } from "@lango/postgres";
import type { Invalidatable } from "./cache.ts";

/** Whose memory of a tenant is dropped together. */
export type Caches = readonly Invalidatable[];

const everything = "*";

/**
 * Hears what the database tells of subscriptions, whichever process changed them: every process drops what it holds of
 * the tenant at the commit. While the connection is lost nothing is held.
 */
export function invalidateOnChange(
	{ log, onStop }: Pick<Context, "log" | "onStop">,
	caches: Caches,
	databaseUrl: string,
): void {
	const setListening = (isListening: boolean) => {
		for (const cache of caches) cache.setListening(isListening);
	};
	const listening = listen({
		url: databaseUrl,
		name: "subscriptions",
		channel: "subscription_changed",
		onMessage: (message) => {
			for (const cache of caches) {
				if (message === everything) cache.invalidateAll();
				else cache.invalidate(message);
			}
		},
		onReady: () => setListening(true),
		onLost: (err) => {
			log.warn({ err }, "changes of subscriptions are not heard of: nothing is held in memory");
			setListening(false);
		},
	});
	onStop(() => listening.stop());
}
