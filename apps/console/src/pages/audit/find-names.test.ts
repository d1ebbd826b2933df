import { beforeEach, expect, test } from "vitest";
import { findNames } from "./find-names.ts";

const read: string[] = [];
beforeEach(() => {
	read.length = 0;
});
async function* members(count: number) {
	for (let number = 1; number <= count; number += 1) {
		read.push(`${number}`);
		yield { user_id: `${number}`, name: `Person ${number}` };
	}
}

test("users are found anywhere in the list, which is read only until the last of them", async () => {
	expect(await findNames(members(900), ["3", "700"])).toEqual(
		new Map([
			["3", "Person 3"],
			["700", "Person 700"],
		]),
	);
	expect(read).toHaveLength(700);
});

test("a user who is not in the list has no name", async () => {
	expect(await findNames(members(3), ["2", "gone"])).toEqual(new Map([["2", "Person 2"]]));
});

test("nothing is read without users to find", async () => {
	await findNames(members(3), []);
	expect(read).toEqual([]);
});
