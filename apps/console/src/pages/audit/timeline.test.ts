import { expect, test } from "vitest";
import { mergeNewest, placeAfter, startOfPage } from "./timeline.ts";

const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 8, 0, second)).toISOString();
const entry = (id: string, second: number) => ({ id, at: at(second) });

test("lists are merged by time, and each is read only as far as necessary", async () => {
	const read: string[] = [];
	async function* list(...entries: Array<ReturnType<typeof entry>>) {
		for (const one of entries) {
			read.push(one.id);
			yield one;
		}
	}
	const merged = mergeNewest([
		list(entry("a", 9), entry("b", 3), entry("c", 1)),
		list(),
		list(entry("d", 5), entry("e", 4), entry("f", 2)),
	]);
	const ids: string[] = [];
	for await (const { id } of merged) {
		ids.push(id);
		if (ids.length === 3) break;
	}
	expect(ids).toEqual(["a", "d", "e"]);
	expect(read).toEqual(["a", "d", "b", "e"]);
});

test("the next page begins with the entries of the last time, without those that were shown", () => {
	expect(startOfPage(undefined)).toEqual({ before: undefined, skipped: 0 });
	const first = placeAfter([entry("a", 9), entry("b", 3), entry("c", 3)], undefined);
	expect(first).toBe(`${at(3)}~2`);
	expect(startOfPage(`${at(3)}~2`)).toEqual({ before: "2026-03-02T08:00:03.001Z", skipped: 2 });
	expect(placeAfter([entry("d", 3)], `${at(3)}~2`)).toBe(`${at(3)}~3`);
	expect(placeAfter([entry("d", 3), entry("e", 1)], `${at(3)}~2`)).toBe(`${at(1)}~1`);
	expect(placeAfter([], `${at(3)}~2`)).toBeNull();
});

test.each(["later", "2026-99-02T08:00:03.001Z~1", `${at(3)}~-1`])(
	"an address with the cursor %s shows the first page",
	(cursor) => {
		expect(startOfPage(cursor)).toEqual({ before: undefined, skipped: 0 });
	},
);
