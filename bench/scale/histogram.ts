/**
 * How often a time was how long, in bins of which eight double it (each some 9 % wide). `from` is the number of the first bin, `counts`
 * those from there on, `mean` in milliseconds as it was before the times were put into bins.
 */
export type Histogram = { count: number; mean: number; from: number; counts: readonly number[] };

const binsADoubling = 8;
/** What is shorter, down to nothing, is in the first bin. */
const shortestMs = 2 ** -10;

const binOf = (ms: number) => Math.floor(Math.log2(Math.max(ms, shortestMs)) * binsADoubling);
const edgeOf = (bin: number) => 2 ** (bin / binsADoubling);

/** Puts times in milliseconds into bins. Throws when there are none, or one is no time. */
export function histogramOf(times: readonly number[]): Histogram {
	const tally = openTally();
	for (const time of times) tally.add(time);
	return tally.histogram();
}

/** A way to draw times that are distributed as those of a histogram, with exactly its mean. `random` answers from 0 up to 1. */
export function drawFrom({ mean, from, counts }: Histogram): (random: () => number) => number {
	const below: number[] = [];
	let sum = 0;
	let middles = 0;
	for (const [at, count] of counts.entries()) {
		sum += count;
		below.push(sum);
		middles += (count * (edgeOf(from + at) + edgeOf(from + at + 1))) / 2;
	}
	if (sum === 0) throw new Error("a histogram without a time");
	const scale = mean / (middles / sum);
	return (random) => {
		const wanted = random() * sum;
		let low = 0;
		for (let high = below.length - 1; low < high; ) {
			const middle = (low + high) >> 1;
			if ((below[middle] ?? 0) > wanted) high = middle;
			else low = middle + 1;
		}
		const edge = edgeOf(from + low);
		return scale * (edge + random() * (edgeOf(from + low + 1) - edge));
	};
}

/** Times that are counted one after the other. */
export type Tally = {
	/** In milliseconds, 0 or more. */
	add(ms: number): void;
	count(): number;
	/** 0 while there are none. */
	mean(): number;
	/** The upper edge of the bin in which the share `q` (0 to 1) of all is reached; 0 where so many did not wait at all. */
	quantile(q: number): number;
	/** Throws when there are none. */
	histogram(): Histogram;
};

export function openTally(): Tally {
	const firstBin = binOf(0);
	/** By distance from the first bin; those with nothing in them between others are 0. */
	const bins: number[] = [];
	let [count, sum, nothing] = [0, 0, 0];
	const inOrder = () =>
		bins.map((times, at) => [firstBin + at, times] as const).filter(([, times]) => times > 0);
	return {
		add(ms) {
			if (!(ms >= 0) || ms === Infinity) throw new Error(`${ms} is no time`);
			count += 1;
			sum += ms;
			if (ms < shortestMs) nothing += 1;
			const at = binOf(ms) - firstBin;
			while (bins.length <= at) bins.push(0);
			bins[at] = (bins[at] ?? 0) + 1;
		},
		count: () => count,
		mean: () => (count === 0 ? 0 : sum / count),
		quantile(q) {
			if (nothing >= q * count) return 0;
			let below = 0;
			for (const [bin, times] of inOrder()) {
				below += times;
				if (below >= q * count) return edgeOf(bin + 1);
			}
			return 0;
		},
		histogram() {
			const filled = inOrder();
			const [first] = filled[0] ?? [];
			const [last] = filled.at(-1) ?? [];
			if (first === undefined || last === undefined) throw new Error("there are no times");
			const counts = Array.from({ length: last - first + 1 }, (_, at) => bins[first - firstBin + at] ?? 0);
			return { count, mean: sum / count, from: first, counts };
		},
	};
}
