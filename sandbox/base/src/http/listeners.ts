import { TooMany } from "./too-many.ts";

/** Subscribers of changes: open streams and requests that wait. */
export type Listeners<Change> = {
	publish(change: Change): void;
	/** Returns a function that unsubscribes. Throws `TooMany` above the limit. */
	subscribe(listener: (change: Change) => void): () => void;
	clear(): void;
};

const listenersMax = 200;

/** Listeners of one sandbox, at most 200. */
export function createListeners<Change>(): Listeners<Change> {
	const listeners = new Set<(change: Change) => void>();
	return {
		publish: (change) => {
			for (const listener of listeners) listener(change);
		},
		subscribe: (listener) => {
			if (listeners.size >= listenersMax)
				throw new TooMany("Too many streams and waiting requests are open.");
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		clear: () => listeners.clear(),
	};
}
