/** The middle of some figures; the mean of the two middle ones of an even number. Throws when there are none. */
export function median(figures: readonly number[]): number {
	return quantile(figures, 0.5);
}

/** The figure below which the share `q` (0 to 1) of all lies, between two neighbours by their distance. Throws when there are none. */
export function quantile(figures: readonly number[], q: number): number {
	const sorted = [...figures].sort((a, b) => a - b);
	const at = (sorted.length - 1) * q;
	const low = sorted[Math.floor(at)];
	const high = sorted[Math.ceil(at)];
	if (low === undefined || high === undefined) throw new Error("there are no figures");
	return low + (high - low) * (at - Math.floor(at));
}

/** The middle of a figure's runs, and its ends. */
export type Spread = { middle: number; least: number; most: number };

export function spreadOf(figures: readonly number[]): Spread {
	return { middle: median(figures), least: Math.min(...figures), most: Math.max(...figures) };
}

/** The middle of many figures, and between what the middle half of them lies: single ones that something disturbed do not show. */
export function quartilesOf(figures: readonly number[]): Spread {
	return { middle: median(figures), least: quantile(figures, 0.25), most: quantile(figures, 0.75) };
}

/** Run by run, how often the second figure goes into the first: what happened side by side is compared, then the middle taken. */
export function ratios(ours: readonly number[], theirs: readonly number[]): Spread {
	return spreadOf(ratiosOf(ours, theirs));
}

/** As `ratios`, of many short runs: the middle and the quartiles. */
export function quartilesOfRatios(ours: readonly number[], theirs: readonly number[]): Spread {
	return quartilesOf(ratiosOf(ours, theirs));
}

function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
	if (ours.length !== theirs.length) throw new Error("each run has its counterpart");
	return ours.map((figure, run) => figure / (theirs[run] ?? Number.NaN));
}
