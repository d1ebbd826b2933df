import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventParser, type StreamEvent } from "./event-parser.ts";

const parse = (parts: readonly string[]): StreamEvent[] => {
	const push = createEventParser();
	return parts.flatMap((part) => push(part));
};

test.each([
	["an event has a name, data and an id", "id: 7\nevent: item\ndata: {}\n\n", ["item", "{}", "7"]],
	["an event without a name is a message", "data: a\n\n", ["message", "a", ""]],
	["lines of data are joined", "data: a\ndata:b\ndata\n\n", ["message", "a\nb\n", ""]],
	["one space after the colon is not part of the data", "data:  a\n\n", ["message", " a", ""]],
	["comments and unknown fields are ignored", ": ping\nretry: 1\nx: y\ndata: a\n\n", ["message", "a", ""]],
	["a byte order mark is ignored", "\uFEFFdata: a\n\n", ["message", "a", ""]],
	["an id with a null character is ignored", "id: 1\nid: 2\0\ndata: a\n\n", ["message", "a", "1"]],
] as const)("%s", (_rule, text, [event, data, id]) => {
	expect(parse([text])).toEqual([{ event, data, id }]);
});

test("an event without data, and one that has not ended, are not returned", () => {
	expect(parse([": ping\n\nevent: item\n\ndata: a\n"])).toEqual([]);
});

test("the id of an event without data stays for the next event", () => {
	expect(parse(["id: 3\n\ndata: a\n\n"])).toEqual([{ event: "message", data: "a", id: "3" }]);
});

test("the events do not depend on where the text is cut, nor on the ends of its lines", () => {
	const piece = fc.constantFrom("data: a", "data:é", "event: item", "id: 9", ": ping", "", "", "data");
	fc.assert(
		fc.property(
			fc.array(piece, { maxLength: 30 }),
			fc.constantFrom("\n", "\r\n", "\r"),
			fc.array(fc.nat(200), { maxLength: 20 }),
			(lines, end, cuts) => {
				// The last character shows that a carriage return before it had no line feed.
				const text = `${lines.map((line) => line + end).join("")}:`;
				const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
				const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
				expect(parse(parts)).toEqual(parse([text.replaceAll(end, "\n")]));
			},
		),
	);
});

test.each([
	["a line", "data: ".padEnd(300_000, "x")],
	["an event", `data: ${"x".repeat(1_000)}\n`.repeat(300)],
])("%s that is too long is refused", (_rule, text) => {
	expect(() => parse([text])).toThrow(expect.objectContaining({ code: "unreadable" }));
});
