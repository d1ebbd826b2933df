import { expect, test } from "vitest";
import { cacheApiKeys } from "./cached-keys.ts";

const key = { secretHash: Buffer.alloc(32), permissions: [] };

test("a key that exists is looked up once in 30 s, one that does not exist every time", async () => {
	let time = 0;
	const requested: string[] = [];
	const find = cacheApiKeys(
		async (id) => {
			requested.push(id);
			return id === "good" ? key : undefined;
		},
		() => new Date(time),
	);
	expect([await find("good"), await find("good")]).toEqual([key, key]);
	time = 29_999;
	await find("good");
	expect(requested).toEqual(["good"]);
	time = 30_000;
	await find("good");
	await find("bad");
	expect(await find("bad")).toBeUndefined();
	expect(requested).toEqual(["good", "good", "bad", "bad"]);
});

test("a key that has ended is refused 30 s later at the latest", async () => {
	let time = 0;
	let isGood = true;
	const find = cacheApiKeys(
		async () => (isGood ? key : undefined),
		() => new Date(time),
	);
	await find("good");
	isGood = false;
	time = 30_000;
	expect(await find("good")).toBeUndefined();
});
