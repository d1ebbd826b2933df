import type { Context } from "@lango/chassis";
import type { Invalidatable } from "@lango/memory";
import { listen } from "@lango/postgres";

/** The caches that are invalidated together. */
export type Caches = readonly Invalidatable[];

const everything = "*";

/**
 * Invalidates the caches when the database notifies of a change to a subscription by any process, at its
 * commit. While the connection is lost nothing is cached.
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
			log.warn({ err }, "notifications of subscription changes are lost: nothing is cached");
			setListening(false);
		},
	});
	onStop(() => listening.stop());
}
