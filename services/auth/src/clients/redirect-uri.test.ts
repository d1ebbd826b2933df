import fc from "fast-check";
import { expect, test } from "vitest";
import { matchRedirectUri } from "./redirect-uri.ts";

const exact = "https://shop.example/auth/callback";
const templated = "https://shop.example/{tenant}/auth/callback";
const native = "http://127.0.0.1/cb";
const registered = [exact, templated, native, "http://[::1]", "http://localhost:3002/auth/callback"];
const match = (requested: string, isPublic = true) =>
	matchRedirectUri({ redirectUris: registered, isPublic }, requested);

test("a registered address matches itself", () => {
	expect(match(exact)).toEqual({ tenantSlug: undefined });
});

test("a {tenant} segment matches one slug", () => {
	expect(match("https://shop.example/uhai/auth/callback")).toEqual({ tenantSlug: "uhai" });
});

test("a loopback address without a port is good on any port (RFC 8252 §7.3), one without a path too", () => {
	expect(match("http://127.0.0.1:49152/cb")).toEqual({ tenantSlug: undefined });
	expect(match("http://[::1]:8080")).toEqual({ tenantSlug: undefined });
});

test("a confidential client's loopback address is good as it was registered, and on no other port", () => {
	expect(match(native, false)).toEqual({ tenantSlug: undefined });
	for (const requested of [
		"http://127.0.0.1:49152/cb",
		"http://[::1]:8080",
		"http://localhost:3003/auth/callback",
	])
		expect(match(requested, false), requested).toBeUndefined();
});

test("a loopback address registered with a port is good on that one alone", () => {
	expect(match("http://localhost:3002/auth/callback")).toEqual({ tenantSlug: undefined });
	expect(match("http://localhost/auth/callback")).toBeUndefined();
});

test.each([
	"https://shop.example.evil.example/auth/callback",
	"https://shop.example@evil.example/auth/callback",
	"https://evil.example/auth/callback",
	"https://shop.example/auth/callback/",
	"https://shop.example/auth/callback?x=1",
	"https://shop.example/auth/callback#x",
	"https://shop.example/auth/..;/callback",
	"https://shop.example/auth/%2e%2e/callback",
	"HTTPS://shop.example/auth/callback",
	"https://SHOP.example/auth/callback",
	"https://shop.example:443/auth/callback",
	"http://shop.example/auth/callback",
	"https://shop.example/{tenant}/auth/callback",
	"https://shop.example/a/b/auth/callback",
	"https://shop.example//auth/callback",
	"https://shop.example/%75hai/auth/callback",
	"https://shop.example/../auth/callback",
	"https://shop.example/UHAI/auth/callback",
	"https://shop.example/u/auth/callback",
	"https://shop.example\\@evil.example/auth/callback",
	" https://shop.example/auth/callback",
	"http://127.0.0.1:49152/other",
	"http://127.0.0.1.evil.example/cb",
	"http://127.0.0.1@evil.example/cb",
	"http://127.0.0.1:99999/cb",
	"http://127.0.0.1:0/cb",
	"http://127.0.0.2/cb",
	"https://127.0.0.1:1/cb",
	"http://localhost:3003/auth/callback",
	"javascript:alert(1)",
	"",
])("%s does not pass for a registered address", (requested) => {
	expect(match(requested)).toBeUndefined();
});

test("an accepted address equals a registered one, or differs by one slug or one loopback port", () => {
	const mutated = fc
		.tuple(fc.constantFrom(...registered), fc.nat(60), fc.string({ maxLength: 6 }))
		.map(([uri, at, insert]) => uri.slice(0, at) + insert + uri.slice(at));
	fc.assert(
		fc.property(mutated, (requested) => {
			if (match(requested) === undefined) return true;
			return (
				requested === exact ||
				registered.includes(requested) ||
				/^https:\/\/shop\.example\/[a-z0-9-]{2,63}\/auth\/callback$/.test(requested) ||
				/^http:\/\/(127\.0\.0\.1:\d{1,5}\/cb|\[::1\]:\d{1,5})$/.test(requested)
			);
		}),
		{ numRuns: 2_000 },
	);
});
