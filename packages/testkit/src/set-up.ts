import { afterAll, beforeAll } from "vitest";

type Closing = { close(): Promise<unknown> };

/**
 * Starts what the tests of the calling file share before its first test, and ends it after the last one, by
 * its `close` unless `end` is given. The returned object is empty until then.
 */
export function setUp<T extends Closing>(start: () => Promise<T>): T;
export function setUp<T extends object>(start: () => Promise<T>, end: (started: T) => Promise<unknown>): T;
export function setUp<T extends Partial<Closing>>(
	start: () => Promise<T>,
	end: (started: T) => Promise<unknown> = async ({ close }) => close?.(),
): T {
	const shared = {} as T;
	let isStarted = false;
	beforeAll(async () => {
		Object.assign(shared, await start());
		isStarted = true;
	});
	afterAll(async () => {
		if (isStarted) await end(shared);
	});
	return shared;
}
