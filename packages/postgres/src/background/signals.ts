/** The signals of a pool: work of this process that waits for rows learns of a commit without polling. */
export type Signals = {
	/**
	 * Calls what `onSignal` registered under this name, once the transaction has committed; nothing if it is
	 * rolled back. Outside of a transaction it is called immediately.
	 */
	signal(name: string): void;
	/**
	 * Registers a function for the signals of this pool and of its transactions, in this process. It must not
	 * throw. Returns the function that removes it.
	 */
	onSignal(name: string, act: () => void): () => void;
};

export function createSignals(): Signals {
	const acts = new Map<string, Set<() => void>>();
	return {
		signal(name) {
			for (const act of acts.get(name) ?? []) act();
		},
		onSignal(name, act) {
			const ofName = acts.get(name) ?? new Set();
			acts.set(name, ofName.add(act));
			return () => void ofName.delete(act);
		},
	};
}

/** The signals of a transaction: each is sent once, by `sendSignals` after the commit. */
export function deferSignals({ signal, onSignal }: Signals): Signals & { sendSignals: () => void } {
	const names = new Set<string>();
	return {
		signal: (name) => void names.add(name),
		onSignal,
		sendSignals() {
			for (const name of names) signal(name);
		},
	};
}
