import { expect, test } from "vitest";
import type { Variable } from "../template.ts";
import { checkHtml } from "./check-html.ts";

const variables: readonly Variable[] = [
	{ name: "link", kind: "link" },
	{ name: "name", kind: "text" },
	{ name: "items", kind: "list", members: [{ name: "link", kind: "link" }] },
];

test.each([
	'<a href="https://example.com/a">a</a>',
	'<a href="{{ link }}">a</a>',
	'<a href="{{item.link}}">a</a>',
	'<img src="{{ layout.logo_url }}" alt="{{ name }}">',
	'<p style="color: red">a</p>',
])("allowed: %s", (html) => {
	expect(checkHtml(html, variables)).toEqual([]);
});

test.each([
	"<script>a</script>",
	"<form></form>",
	"<iframe></iframe>",
	"<frameset></frameset>",
	"<svg><a></a></svg>",
	'<base href="https://example.com">',
	'<link rel="stylesheet" href="https://example.com">',
	'<meta http-equiv="refresh" content="0">',
	'<img src="https://example.com/a" onerror="x">',
	'<p style="position:fixed">a</p>',
	'<p style="background: url(https://example.com)">a</p>',
	'<a href="http://example.com">a</a>',
	'<a href="javascript:alert(1)">a</a>',
	'<a href=" java&#10;script:alert(1)">a</a>',
	'<a href="">a</a>',
	'<a href="{{ name }}">a</a>',
	'<a href="{{ link | upcase }}">a</a>',
	'<a href="https://example.com/{{ link }}">a</a>',
	'<a href="{{ link }}{{ link }}">a</a>',
	'<a href="{{ item.title }}">a</a>',
	'<table background="https://example.com/{{ name }}"></table>',
	'<a <b="c">a</a>',
])("refused: %s", (html) => {
	expect(checkHtml(html, variables)).toHaveLength(1);
});
