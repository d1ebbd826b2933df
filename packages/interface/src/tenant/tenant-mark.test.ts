import fc from "fast-check";
import { expect, test } from "vitest";
import { tenantMark } from "./tenant-mark.ts";

const uploaded = `http://localhost:4000/api/v1/tenants/9c1f0e2a-53f5-4f0e-8f0b-2d7a3c1b5e60/logo/${"a1".repeat(32)}`;
const mark = (logo_url: string | null, colour: string | null = null, name = "Uhai Hospital") =>
	tenantMark({ name, branding: { logo_url, colour } }, "http://localhost:4000");

test.each([
	["https://cdn.example/logo.svg", "https://cdn.example/logo.svg"],
	[uploaded, uploaded],
	["http://localhost:4000/api/v1/auth/logout", undefined],
	[`${uploaded}?to=/api/v1/auth/logout`, undefined],
	[uploaded.replace("/logo/", "/logo/../../../auth/logout?"), undefined],
	["http://localhost:4000/logo.png", undefined],
	["http://cdn.example/logo.svg", undefined],
	["javascript:alert(1)", undefined],
	["data:image/png;base64,AA", undefined],
	["logo.png", undefined],
	[null, undefined],
])("the logo %s is shown as %s", (logo, shown) => {
	expect(mark(logo).logo).toBe(shown);
});

test.each([
	["Uhai Hospital", "U"],
	["  école", "É"],
	["24/7 Duka", "2"],
	["—", "·"],
])("the letter of %j is %s", (name, letter) => {
	expect(mark(null, null, name).letter).toBe(letter);
});

test.each(["red", "#fff", "#12345g", "#123456;", "url(x)", null])("%j is not a valid colour", (colour) => {
	expect(mark(null, colour).colours).toBeUndefined();
});

test("the letter can be read on any colour: a contrast of at least 4.5", () => {
	fc.assert(
		fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
			const colour = `#${number.toString(16).padStart(6, "0")}`;
			const colours = mark(null, colour).colours;
			expect(contrast(colour, colours?.text ?? colour)).toBeGreaterThanOrEqual(4.5);
		}),
	);
});

function contrast(one: string, other: string): number {
	const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
		const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
		return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
