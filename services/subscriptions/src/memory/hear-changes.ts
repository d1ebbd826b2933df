import type { Context } from "@lango/chassis";
import { listen } from "@lango/postgres";
import type { Forgetful } from "./memory.ts";

/** Whose memory of a tenant is dropped together. */
export type Memories = readonly Forgetful[];

const everything = "*";

/**
 * Hears what the database tells of subscriptions, whichever process changed them: every process drops what it holds of
 * the tenant at the commit. While the connection is lost nothing is held.
 */
export function hearChanges(
	{ log, onStop }: Pick<Context, "log" | "onStop">,
	memories: Memories,
	databaseUrl: string,
): void {
	const hear = (isHearing: boolean) => {
		for (const memory of memories) memory.hear(isHearing);
	};
	const listening = listen({
		url: databaseUrl,
		name: "subscriptions",
		channel: "subscription_changed",
		onMessage: (message) => {
			for (const memory of memories) {
				if (message === everything) memory.forgetAll();
				else memory.forget(message);
			}
		},
		onReady: () => hear(true),
		onLost: (err) => {
			log.warn({ err }, "changes of subscriptions are not heard of: nothing is held in memory");
			hear(false);
		},
	});
	onStop(() => listening.stop());
}
