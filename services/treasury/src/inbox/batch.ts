type Waiting<T> = { item: T; resolve: () => void; reject: (error: unknown) => void };

/**
 * Returns a function that works on items in batches: the first item goes at once, and those that arrive
 * meanwhile are the next batch, at most `sizeMax` at a time. It resolves when the batch of its item is done.
 * The error of a batch is the error of each of its items.
 */
export function createBatches<T>({
	sizeMax,
	work,
}: {
	sizeMax: number;
	work: (items: readonly T[]) => Promise<void>;
}): (item: T) => Promise<void> {
	const waiting: Array<Waiting<T>> = [];
	let isRunning = false;
	const run = async (): Promise<void> => {
		isRunning = true;
		for (let batch = waiting.splice(0, sizeMax); batch.length > 0; batch = waiting.splice(0, sizeMax))
			await workOn(batch, work);
		isRunning = false;
	};
	return (item) =>
		new Promise<void>((resolve, reject) => {
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
