/** The median. Throws an Error for an empty list. */
export function median(figures: readonly number[]): number {
	return quantile(figures, 0.5);
}

/** The quantile `q` (0 to 1), interpolated linearly. Throws an Error for an empty list. */
export function quantile(figures: readonly number[], q: number): number {
	const sorted = [...figures].sort((a, b) => a - b);
	const at = (sorted.length - 1) * q;
	const low = sorted[Math.floor(at)];
	const high = sorted[Math.ceil(at)];
	if (low === undefined || high === undefined) throw new Error("the list of figures is empty");
	return low + (high - low) * (at - Math.floor(at));
}

/** The median of the runs, and the extremes. */
export type Spread = { middle: number; least: number; most: number };

export function spreadOf(figures: readonly number[]): Spread {
	return { middle: median(figures), least: Math.min(...figures), most: Math.max(...figures) };
}

/** The median and the quartiles, which hide single disturbed runs. */
export function quartilesOf(figures: readonly number[]): Spread {
	return { middle: median(figures), least: quantile(figures, 0.25), most: quantile(figures, 0.75) };
}

/** The ratio of the first to the second figure, per run, as median and extremes. */
export function ratios(ours: readonly number[], theirs: readonly number[]): Spread {
	return spreadOf(ratiosOf(ours, theirs));
}

/** As `ratios`, for many short runs: median and quartiles. */
export function quartilesOfRatios(ours: readonly number[], theirs: readonly number[]): Spread {
	return quartilesOf(ratiosOf(ours, theirs));
}

function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
	if (ours.length !== theirs.length) throw new Error("the lists of runs differ in length");
	return ours.map((figure, run) => figure / (theirs[run] ?? Number.NaN));
}
