import fc from "fast-check";
import { expect, test } from "vitest";
import { acceptReturnTo } from "./return-to.ts";

const bases = { pagesUrl: "http://localhost:3000", authUrl: "http://localhost:4000" };
const withPath = { pagesUrl: "https://accounts.example", authUrl: "https://id.example/sso" };
const authorize =
	"http://localhost:4000/api/v1/authorize?response_type=code&client_id=cafe-website" +
	"&redirect_uri=http%3A%2F%2Flocalhost%3A3002%2Fauth%2Fcallback&state=00ff&tenant=uhai";

test("the full authorize address is accepted unchanged", () => {
	expect(acceptReturnTo(authorize, bases)).toBe(authorize);
});

test.each([
	["/signed-in", "http://localhost:3000/signed-in"],
	["/", "http://localhost:3000/"],
	["/login?tenant=uhai#x", "http://localhost:3000/login?tenant=uhai#x"],
	["/..//evil.example", "http://localhost:3000//evil.example"],
	["HTTP://LOCALHOST:4000/api/v1/authorize", "http://localhost:4000/api/v1/authorize"],
	["http://localhost:4000", "http://localhost:4000/"],
])("%s is accepted and opens %s", (returnTo, opened) => {
	expect(acceptReturnTo(returnTo, bases)).toBe(opened);
});

test.each([
	["https://id.example/sso", "https://id.example/sso"],
	["https://id.example/sso/api/v1/authorize?x=/../y", "https://id.example/sso/api/v1/authorize?x=/../y"],
	["https://id.example:443/sso/", "https://id.example/sso/"],
])("%s is below a sign-on base with a path", (returnTo, opened) => {
	expect(acceptReturnTo(returnTo, withPath)).toBe(opened);
});

test.each([
	"",
	" ",
	"evil.example",
	"login",
	"//evil.example",
	"///evil.example",
	"/\\evil.example",
	"\\\\evil.example",
	"\\/evil.example",
	"/\t/evil.example",
	"/\n/evil.example",
	" //evil.example",
	"\u0000//evil.example",
	"\u200b//evil.example",
	"https:evil.example",
	"http:localhost:4000/x",
	"http:///localhost:4000/x",
	"http://evil.example",
	"http://localhost:4000@evil.example/",
	"http://localhost:4000%40evil.example/",
	"http://evil@localhost:4000/",
	"http://a:b@localhost:4000/",
	"http://localhost:4000.evil.example/",
	"http://localhost.evil.example:4000/",
	"http://localhost:40001/",
	"http://localhost:400/",
	"http://localhost/",
	"https://localhost:4000/",
	"http://localhost.:4000/",
	"http://127.0.0.1:4000/",
	"http://evil.example#http://localhost:4000/",
	"http://evil.example?http://localhost:4000/",
	"http://evil.example\\@localhost:4000/",
	"http://localhost:4000\\.evil.example/",
	"http://localhost:4000/..;/x",
	"http://localhost:4000/%2f%2fevil.example",
	"http://localhost:4000/%5cevil.example",
	"/%2F/evil.example",
	"http://localhost:3000/signed-in",
	"javascript:alert(1)",
	"JavaScript:alert(1)",
	"jAvAsCrIpT://localhost:4000/%0aalert(1)",
	"java\tscript:alert(1)",
	"data:text/html,x",
	"vbscript:x",
	"blob:http://localhost:4000/x",
	"ftp://localhost:4000/",
	"ws://localhost:4000/",
	"http://",
	"http://[::1",
	`/${"a".repeat(8192)}`,
])("%j is refused", (returnTo) => {
	expect(acceptReturnTo(returnTo, bases)).toBeUndefined();
});

test.each([
	"https://id.example/",
	"https://id.example/ssox",
	"https://id.example/other/sso",
	"https://id.example/sso/../admin",
	"https://id.example/sso/%2e%2e/admin",
	"https://id.example/sso/%2E./admin",
	"https://id.example/sso/..;/admin",
	"https://id.example/sso/..%2fadmin",
	"https://id.example/sso%2f..%2fadmin",
])("%s is not below a sign-on base with a path", (returnTo) => {
	expect(acceptReturnTo(returnTo, withPath)).toBeUndefined();
});

test("an accepted address opens only the pages or the sign-on base", () => {
	const piece = fc.constantFrom(
		...["http", "https", "HTTP", "javascript", ":", "/", "//", "\\", "@", "localhost", ":3000", ":4000", "."],
		...[
			"..",
			"..;",
			"%2f",
			"%5c",
			"%2e",
			"?",
			"#",
			"evil.example",
			"\t",
			"\n",
			" ",
			"\u0000",
			"login",
			"[::1]",
		],
	);
	const address = fc.oneof(
		fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
		fc.array(piece, { maxLength: 8 }).map((pieces) => `http://localhost:4000${pieces.join("")}`),
		fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join("")}`),
		fc.webUrl({ withFragments: true, withQueryParameters: true }),
		fc.string({ unit: "binary" }),
	);
	let accepted = 0;
	fc.assert(
		fc.property(address, (returnTo) => {
			const opened = acceptReturnTo(returnTo, bases);
			if (opened === undefined) return;
			accepted += 1;
			// Parsed as a browser on the page would parse it.
			const { origin, username, password } = new URL(opened, "http://localhost:3000/login");
			expect([bases.pagesUrl, bases.authUrl]).toContain(origin);
			expect(username + password).toBe("");
		}),
		{ numRuns: 1_000 },
	);
	expect(accepted).toBeGreaterThan(20);
}, 30_000);

test("every authorize address of a client is accepted unchanged", () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.stringMatching(/^[a-z0-9-]{2,63}$/), (state, scope, tenant) => {
			const query = new URLSearchParams({ response_type: "code", state, scope, tenant });
			const returnTo = `http://localhost:4000/api/v1/authorize?${query}`;
			expect(acceptReturnTo(returnTo, bases)).toBe(returnTo);
		}),
	);
}, 30_000);
