import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSignInMarks } from "./sign-in-mark.ts";

const old = { id: "k1", key: randomBytes(32) };
const marks = createSignInMarks([old]);
const at = new Date("2026-03-02T08:00:00Z");
const request = {
	client_id: "a",
	redirect_uri: "https://a.example/cb",
	state: "s",
	nonce: "n",
	prompt: "login",
};
const mark = marks.write(request, at);

test("a mark returns the time of the redirect for the same request", () => {
	expect(marks.read(mark, request, at)).toEqual(at);
	const { client_id, ...others } = request;
	expect(marks.read(mark, { ...others, sign_in_mark: mark, client_id }, at)).toEqual(at);
});

test.each(Object.keys(request))("a mark is not valid with another %s", (name) => {
	expect(marks.read(mark, { ...request, [name]: "other" }, at)).toBeUndefined();
	expect(marks.read(mark, { ...request, [name]: undefined }, at)).toBeUndefined();
	expect(marks.read(mark, { ...request, [name]: ["other", "other"] }, at)).toBeUndefined();
});

test("a mark is not valid with an additional parameter or with a split value", () => {
	expect(marks.read(mark, { ...request, tenant: "uhai" }, at)).toBeUndefined();
	const two = marks.write({ ...request, state: ["s", "t"] }, at);
	expect(marks.read(two, { ...request, state: "s,t" }, at)).toBeUndefined();
});

test("a mark is valid for half an hour, with its key, and unchanged", () => {
	const after = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
	expect(marks.read(mark, request, after(30))).toEqual(at);
	expect(marks.read(mark, request, after(30.1))).toBeUndefined();
	const rotated = createSignInMarks([{ id: "k2", key: randomBytes(32) }, old]);
	expect(rotated.read(mark, request, at)).toEqual(at);
	expect(createSignInMarks([{ id: "k2", key: randomBytes(32) }]).read(mark, request, at)).toBeUndefined();
	const later = `${after(1).getTime()}${mark.slice(13)}`;
	expect(marks.read(later, request, at)).toBeUndefined();
	for (const none of [undefined, "", "x", `${mark}x`]) expect(marks.read(none, request, at)).toBeUndefined();
});
