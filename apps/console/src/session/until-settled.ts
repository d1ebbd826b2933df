import type { Client } from "@lango/client";

const passing = ["loading", "syncing"];
/** After this time the pages say themselves that they wait. */
const patienceMilliseconds = 3_000;

/** Waits until a page can be shown for the session, so that it is rendered once; not longer than 3 s. */
export function untilSettled(client: Pick<Client, "getState" | "subscribe">): Promise<void> {
	return new Promise((resolve) => {
		const isPassing = () => passing.includes(client.getState().status);
		const settle = () => {
			clearTimeout(limit);
			unsubscribe();
			resolve();
		};
		const limit = setTimeout(settle, patienceMilliseconds);
		const unsubscribe = client.subscribe(() => isPassing() || settle());
		if (!isPassing()) settle();
	});
}
