/**
 * The sandbox's time. It can be set, so that tests know every timestamp. While it is set it does not move.
 */
export type Clock = {
	now(): Date;
	/** The time from now on; undefined: the real time again. */
	set(at: Date | undefined): void;
	isSet(): boolean;
	/** Calls the listener after every `set`. */
	onSet(listener: () => void): void;
};

/** A clock that shows `real` until it is set. */
export function createClock(real: () => Date = () => new Date()): Clock {
	let fixed: Date | undefined;
	const listeners: Array<() => void> = [];
	return {
		now: () => fixed ?? real(),
		set: (at) => {
			fixed = at;
			for (const listener of listeners) listener();
		},
		isSet: () => fixed !== undefined,
		onSet: (listener) => void listeners.push(listener),
	};
}
