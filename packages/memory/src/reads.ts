type Read<T> = { key: string; result: Promise<T> };

export type ReadToShare<T> = {
	key: string;
	/** Callers of one key share the reads of one variant. */
	variant: string | undefined;
	read: () => Promise<T>;
	/** Processes the result, unless the read was dropped meanwhile. */
	keep: (result: T) => T;
};

/** Creates the list of reads in progress, which concurrent callers share until the reads are dropped. */
export function createReads<T>() {
	const reads = new Map<string, Read<T>>();
	const begin = (name: string, { key, read, keep }: ReadToShare<T>): Promise<T> => {
		const isShared = (): boolean => reads.get(name)?.result === result;
		const result: Promise<T> = read()
			.then((value) => (isShared() ? keep(value) : value))
			.finally(() => {
				if (isShared()) reads.delete(name);
			});
		reads.set(name, { key, result });
		return result;
	};
	return {
		/** Joins the read in progress, or begins one. Rejects if it rejects. */
		share(shared: ReadToShare<T>): Promise<T> {
			const name = shared.variant === undefined ? shared.key : `${shared.key} ${shared.variant}`;
			return reads.get(name)?.result ?? begin(name, shared);
		},
		drop(key: string): void {
			for (const [name, read] of reads) if (read.key === key) reads.delete(name);
		},
		dropAll: () => reads.clear(),
	};
}
