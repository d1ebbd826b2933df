/** Figures from 0 up to 1 that look like chance and are the same for the same seed, on every machine (the generator is "mulberry32"). */
export function randomFrom(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** The time to the next of events that come by chance, `mean` apart on the average. */
export const gapOf = (mean: number, random: () => number): number => -mean * Math.log(1 - random());
