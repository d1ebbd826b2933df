import { describe, expect, test } from "vitest";
import type { Entry } from "./sources.ts";
import { cursorOf, startOfPage } from "./timeline.ts";
import { foldPage, foldVisits } from "./visits.ts";

const owner = "4f2a1c3e-0b7d-4a55-9c1e-7d0f6b2a9e11";
const other = "7c0e1d2f-0b7d-4a55-9c1e-7d0f6b2a9e11";
const begin = Date.UTC(2026, 2, 2, 8);

let entries = 0;
/** An entry so many minutes before the newest. */
function entryAt(minutes: number, action: string, actor: string): Entry {
	entries += 1;
	const at = new Date(begin - minutes * 60_000).toISOString();
	const none = { tenant_id: owner, before: null, after: null, ip: null, request_id: null };
	const names = { actor_name: null, subject: "GET /api", subject_name: null };
	const entry = { ...none, ...names, id: String(entries), at, action, actor_user_id: actor };
	return { source: "auth", kind: "tenant", at, entry };
}
const pass = (minutes: number, actor = owner) => entryAt(minutes, "access.passed", actor);
const change = (minutes: number) => entryAt(minutes, "outlet.opened", other);
const describeRow = ({ entry, visit }: { entry: Entry["entry"]; visit?: { requests: number } }) =>
	visit === undefined ? entry.action : visit.requests;

describe("the requests of the platform owner", () => {
	test("are one visit as long as no half an hour lies between them", () => {
		const rows = foldVisits([pass(0), pass(20), pass(49), pass(80)]);
		expect(rows.map(({ at, visit }) => [at, visit])).toEqual([
			["2026-03-02T08:00:00.000Z", { requests: 3, since: "2026-03-02T07:11:00.000Z" }],
			["2026-03-02T06:40:00.000Z", { requests: 1, since: "2026-03-02T06:40:00.000Z" }],
		]);
	});

	test("are one visit for each actor, also if other rows lie between them", () => {
		const rows = foldVisits([pass(0), pass(1, other), change(2), pass(3, other), pass(4)]);
		expect(rows.map(describeRow)).toEqual([2, 2, "outlet.opened"]);
	});
});

/** The pages of a log, each with what it shows of its rows. */
async function pagesOf(log: readonly Entry[], { size = 50, entriesMax = 1_000 } = {}) {
	const pages: Array<{ before: number; rows: unknown[] }> = [];
	let { start } = startOfPage(undefined);
	for (;;) {
		const from = start;
		const rest = log.filter(({ at }) => from.at === "" || at <= from.at);
		const { items, end } = await foldPage(toStream(rest), { start: from, size, entriesMax });
		pages.push({ before: from.rows, rows: items.map(describeRow) });
		if (end === undefined) return pages;
		start = end;
	}
}

async function* toStream(log: readonly Entry[]) {
	yield* log;
}

const several = <T>(count: number, make: (index: number) => T) =>
	Array.from({ length: count }, (_, i) => make(i));

test("a page is read until it has its rows, however many requests a visit has", async () => {
	const log = [...several(120, (i) => pass(i / 10)), ...several(60, (i) => change(100 + i))];
	expect(await pagesOf(log)).toEqual([
		{ before: 0, rows: [120, ...Array(49).fill("outlet.opened")] },
		{ before: 50, rows: Array(11).fill("outlet.opened") },
	]);
});

test("a visit across the edge of a page is one row with all its requests", async () => {
	const log = several(120, (i) => [pass(i), change(i)]).flat();
	const pages = await pagesOf(log);
	expect(pages.map(({ before, rows }) => [before, rows.length])).toEqual([
		[0, 50],
		[50, 50],
		[100, 21],
	]);
	expect(pages.flatMap(({ rows }) => rows).filter((row) => row !== "outlet.opened")).toEqual([120]);
});

test("a visit that ends a page and the next one after a pause are two rows", async () => {
	const log = [change(0), pass(1), change(2), pass(3), pass(40), change(41)];
	expect(await pagesOf(log, { size: 2 })).toEqual([
		{ before: 0, rows: ["outlet.opened", 2] },
		{ before: 2, rows: ["outlet.opened", 1] },
		{ before: 4, rows: ["outlet.opened"] },
	]);
});

test("entries of the same time are not lost and not repeated at the edge of a page", async () => {
	const log = [change(0), ...several(5, () => change(1)), pass(1), pass(1), change(2)];
	expect((await pagesOf(log, { size: 2 })).map(({ rows }) => rows)).toEqual([
		["outlet.opened", "outlet.opened"],
		["outlet.opened", "outlet.opened"],
		["outlet.opened", "outlet.opened"],
		[2, "outlet.opened"],
	]);
});

test("a forged cursor hides no rows of another time, and of a visit none after a pause", async () => {
	const log = [change(0), change(1), pass(2), pass(40), change(41)];
	const counted = new Map([[owner, new Date(0).toISOString()]]);
	const cursor = cursorOf({ at: new Date(begin).toISOString(), shown: 9_999, rows: 0, counted });
	const { start } = startOfPage(cursor);
	const { items, end } = await foldPage(toStream(log), { start, size: 50, entriesMax: 1_000 });
	expect([items.map(describeRow), end]).toEqual([["outlet.opened", 1, "outlet.opened"], undefined]);
});

test("a page reads at most so many entries, and a longer visit continues as another one", async () => {
	const log = [...several(250, (i) => pass(i / 10)), change(30)];
	expect(await pagesOf(log, { entriesMax: 100 })).toEqual([
		{ before: 0, rows: [100] },
		{ before: 1, rows: [100] },
		{ before: 2, rows: [50, "outlet.opened"] },
	]);
	const wide = several(200, (i) => [pass(i / 10), change(i / 10)]).flat();
	const pages = await pagesOf(wide, { entriesMax: 100 });
	const visits = pages.flatMap(({ rows }) => rows.filter((row): row is number => typeof row === "number"));
	expect(visits.reduce((sum, count) => sum + count, 0)).toBe(200);
});
