import { expect, test } from "vitest";
import { cursorOf, mergeNewest, startOfPage } from "./timeline.ts";

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

const firstPage = { before: undefined, start: { at: "", shown: 0, rows: 0, counted: new Map() } };

test("the next page begins with the entries of the last time, after those that were shown", () => {
	expect(startOfPage(undefined)).toEqual(firstPage);
	const start = {
		at: at(3),
		shown: 2,
		rows: 50,
		counted: new Map([
			["a", at(1)],
			["b.c", at(2)],
		]),
	};
	expect(startOfPage(cursorOf(start))).toEqual({ before: "2026-03-02T08:00:03.001Z", start });
});

test.each(["later", "2026-99-02T08:00:03.001Z~1~50", `${at(3)}~-1~50`, `${at(3)}~1`, `${at(3)}~1~50~a@b`])(
	"an address with the cursor %s shows the first page",
	(cursor) => {
		expect(startOfPage(cursor)).toEqual(firstPage);
	},
);
