import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { contentSecurityPolicy, inlineHashes, toOrigin } from "./content-security-policy.ts";

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

test.each<[what: string, html: string, hashes: [scripts: string[], styles: string[]]]>([
	["a script and a style", "<script>a()</script><style>p{}</style>", [[hash("a()")], [hash("p{}")]]],
	["a module in capitals", '<SCRIPT type="module">a()</SCRIPT >', [[hash("a()")], []]],
	["several scripts", "<script>a()</script><script>b()</script>", [[hash("a()"), hash("b()")], []]],
	["a script with a source", '<script type="module" src="/assets/a.js"></script>', [[], []]],
	["a script named in a comment", "<!-- a <script> tag --><script>a()</script>", [[hash("a()")], []]],
	["lines that end with CRLF", "<script>\r\na()\r\n</script>", [[hash("\na()\n")], []]],
	["a comment inside a script", "<script>/* <!-- */ a()</script>", [[hash("/* <!-- */ a()")], []]],
	["no inline element", "<p>scripts</p>", [[], []]],
])("the hashes of %s are those a browser computes", (_what, html, [scripts, styles]) => {
	expect(inlineHashes(html)).toEqual({ scripts, styles });
});

test("the policy denies everything by default and names what is allowed", () => {
	const policy = contentSecurityPolicy(["http://localhost:4000"], { scripts: [hash("a")], styles: [] });
	expect(policy.split("; ")).toEqual([
		"default-src 'none'",
		`script-src 'self' ${hash("a")}`,
		"style-src 'self'",
		"img-src 'self' data: https: http://localhost:4000",
		"font-src 'self'",
		"connect-src 'self' http://localhost:4000",
		"manifest-src 'self'",
		"frame-src 'self'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
	]);
});

test.each(["localhost:4000", "", "javascript:alert(1)", "http://", "'unsafe-inline'"])(
	"%j is not an origin",
	(address) => {
		expect(() => toOrigin(address)).toThrow(`connect: "${address}" is not an http or https address.`);
	},
);
