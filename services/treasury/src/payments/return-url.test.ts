import { expect, test } from "vitest";
import { readReturnUrl, returnTo } from "./return-url.ts";

const origins = { allowedOrigins: ["https://shop.example"], consoleUrl: "https://console.example" };

test.each(["https://shop.example/orders/7?from=pay", "https://console.example/kahawa"])(
	"%s is allowed",
	(url) => {
		expect(readReturnUrl(url, origins)).toBe(url);
	},
);

test.each([
	"https://other.example/",
	"http://shop.example/",
	"https://shop.example.other.example/",
	"https://shop.example:8443/",
	"https://amina@shop.example/",
	"javascript:alert(1)",
	"/orders",
	"",
])("%o is refused", (url) => {
	expect(() => readReturnUrl(url, origins)).toThrow("front end");
});

test("the site is given the intent and its status beside what its address has", () => {
	expect(returnTo("https://shop.example/orders?id=7&status=x", { id: "i", status: "succeeded" })).toBe(
		"https://shop.example/orders?id=7&status=succeeded&intent_id=i",
	);
});
