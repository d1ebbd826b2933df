import { expect, test } from "vitest";
import { commonDomain } from "./choice-cookie.ts";

test.each([
	["accounts.lango.example", "auth.lango.example", "lango.example"],
	["lango.example", "auth.lango.example", "lango.example"],
	["console.eu.lango.example", "auth.eu.lango.example", "eu.lango.example"],
	["localhost", "localhost", undefined],
	["console.example", "auth.example", undefined],
	["10.0.0.7", "10.0.0.8", undefined],
	["[::1]", "[::2]", undefined],
])("pages at %s and a service at %s share the choices of the domain %s", (host, other, domain) => {
	expect(commonDomain(host, other)).toBe(domain);
});
