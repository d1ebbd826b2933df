type Waiting<T> = { item: T; resolve: () => void; reject: (error: unknown) => void };

/** More waits already than may wait. */
export class TooManyWaiting extends Error {
	override readonly name = "TooManyWaiting";
}

/**
 * Returns a function that works on items in batches: the first item goes at once, and those that arrive
 * meanwhile are the next batch, at most `sizeMax` at a time. It resolves when the batch of its item is
 * done. The error of a batch is the error of each of its items. An item with which those that wait would
 * weigh more than `waitingMax` is refused at once: the promise rejects with TooManyWaiting.
 */
export function createBatches<T>({
	sizeMax,
	waitingMax,
	weigh,
	work,
}: {
	sizeMax: number;
	waitingMax: number;
	weigh: (item: T) => number;
	work: (items: readonly T[]) => Promise<void>;
}): (item: T) => Promise<void> {
	const waiting: Array<Waiting<T>> = [];
	let weight = 0;
	let isRunning = false;
	const take = () => {
		const batch = waiting.splice(0, sizeMax);
		for (const { item } of batch) weight -= weigh(item);
		return batch;
	};
	const run = async (): Promise<void> => {
		isRunning = true;
		for (let batch = take(); batch.length > 0; batch = take()) await workOn(batch, work);
		isRunning = false;
	};
	return (item) =>
		new Promise<void>((resolve, reject) => {
			if (weight + weigh(item) > waitingMax) return reject(new TooManyWaiting());
			weight += weigh(item);
			waiting.push({ item, resolve, reject });
			if (!isRunning) void run();
		});
}

async function workOn<T>(
	batch: ReadonlyArray<Waiting<T>>,
	work: (items: readonly T[]) => Promise<void>,
): Promise<void> {
	try {
		await work(batch.map(({ item }) => item));
		for (const { resolve } of batch) resolve();
	} catch (error) {
		for (const { reject } of batch) reject(error);
	}
}
