/** The sandbox's time. It can be set, so that tests know every timestamp. Delays stay real. */
export type Clock = {
	now(): Date;
	/** The time from now on; undefined: the real time again. */
	set(at: Date | undefined): void;
};

/** A clock that shows `real` until it is set. */
export function createClock(real: () => Date): Clock {
	let fixed: Date | undefined;
	return {
		now: () => fixed ?? real(),
		set: (at) => {
			fixed = at;
		},
	};
}
