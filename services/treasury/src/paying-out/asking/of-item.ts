import { Failure } from "@lango/chassis";

/** Does work about an item of a bulk request, and says in a failure which item it is about. */
export async function ofItem<T>(item: number | undefined, work: () => T | Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof Failure) || item === undefined) throw error;
		const { kind, code, message, fields, headers, cause } = error;
		throw new Failure(kind, code, { message, headers, cause, fields: { ...fields, item } });
	}
}
