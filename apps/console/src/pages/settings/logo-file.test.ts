import { expect, test } from "vitest";
import { checkLogoFile, readLogoFile } from "./logo-file.ts";

const inputErrors = { file: "no file", type: "wrong type", size: "too large" };
const file = (type: string, bytes: number) => new File([new Uint8Array(bytes)], "logo", { type });

test.each([
	["no file", undefined, ["no file"]],
	["a GIF", file("image/gif", 10), ["wrong type"]],
	["a PNG of more than 256 KB", file("image/png", 262_145), ["too large"]],
	["a GIF of more than 256 KB", file("image/gif", 262_145), ["wrong type"]],
	["a PNG of 256 KB", file("image/png", 262_144), []],
	["a JPEG", file("image/jpeg", 10), []],
	["a WebP", file("image/webp", 10), []],
])("%s as a logo is checked before the upload", (_what, chosen, messages) => {
	expect(checkLogoFile(chosen, inputErrors)).toEqual(messages.map((message) => ({ field: "body", message })));
});

test("an unused file field has no file", () => {
	const form = new FormData();
	expect(readLogoFile(form)).toBeUndefined();
	form.set("body", new File([], ""));
	expect(readLogoFile(form)).toBeUndefined();
	form.set("body", file("image/png", 3));
	expect(readLogoFile(form)?.size).toBe(3);
});
