import { expect, test } from "vitest";
import type { FilterField } from "./filter-bar.tsx";
import { filterQuery } from "./filter-query.ts";

const fields: FilterField[] = [
	{ kind: "search", name: "q", label: "Search" },
	{ kind: "select", name: "state", label: "State", options: [["inbox", "Inbox"]], fallback: "inbox" },
	{ kind: "day", name: "from", label: "From" },
	{ kind: "day", name: "to", label: "To" },
];
const ask = (filter: Record<string, string>) => filterQuery(fields, filter, "Africa/Nairobi");

test("a day is asked for from its start to its end in the tenant's time zone", () => {
	expect(ask({ from: "2026-03-02", to: "2026-03-02" })).toMatchObject({
		from: "2026-03-01T21:00:00.000Z",
		to: "2026-03-02T21:00:00.000Z",
	});
});

test("what the address has instead of a day is left out, and a filter without a value has its fallback", () => {
	expect(ask({ from: "soon", q: "ali", other: "x" })).toEqual({
		...{ q: "ali", state: "inbox" },
		...{ from: undefined, to: undefined },
	});
});
