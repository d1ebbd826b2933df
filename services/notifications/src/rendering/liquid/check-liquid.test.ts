import { expect, test } from "vitest";
import { fault, reasonOf } from "../../findings/finding.ts";
import type { Variable } from "../../template.ts";
import { checkLiquid } from "./check-liquid.ts";

const variables: readonly Variable[] = [
	{ name: "name", kind: "text" },
	{ name: "count", kind: "number" },
	{ name: "at", kind: "date" },
	{ name: "items", kind: "list", members: [{ name: "title", kind: "text" }] },
];

test.each([
	"Hello {{ name }}",
	"{{ name | default: 'you' | upcase | truncate: 10 }} {{ tenant.name }}",
	"{% if count > 1 and name != '' %}a{% elsif count == 1 %}b{% else %}c{% endif %}",
	"{% unless name %}a{% endunless %}",
	"{% case count %}{% when 1, 2 %}a{% else %}b{% endcase %}",
	"{% for item in items limit: 3 %}{{ forloop.index }} {{ item.title }}{% else %}none{% endfor %}",
	"{% if items.size > 2 %}{{ items.size }}{% endif %}",
	'{{ at | date: "time" }} {{ count | number }} {{ count | money: "KES" }} {{ count | plural: "a", "b" }}',
])("allowed: %s", (source) => {
	expect(checkLiquid(source, variables)).toEqual([]);
});

test.each([
	["{{ other }}", "The variable other is not declared, line 1."],
	["a\n{% if other %}{% endif %}", "The variable other is not declared, line 2."],
	["{{ name | default: other }}", "The variable other is not declared, line 1."],
	["{% case count %}{% when other %}{% endcase %}", "The variable other is not declared, line 1."],
	["{% for item in items limit: other %}{% endfor %}", "The variable other is not declared, line 1."],
	["{{ layout.unsubscribe_url }}", "The variable layout is not declared, line 1."],
	["{{ constructor }}", "The variable constructor is not declared, line 1."],
	["{{ name.length }}", "name.length is not a value, line 1."],
	["{{ tenant.id }}", "tenant.id is not a value, line 1."],
	["{{ tenant }}", "tenant is not a value, line 1."],
	["{{ items }}", "items is not a value, line 1."],
	["{{ items[0] }}", "items[0] is not the name of a variable, line 1."],
	["{{ items[name] }}", "items[name] is not the name of a variable, line 1."],
	["{% for item in items %}{{ item.body }}{% endfor %}", "item.body is not a value, line 1."],
	["{% for item in items %}{% endfor %}{{ item.title }}", "The variable item is not declared, line 1."],
	["{% for item in name %}{% endfor %}", "A loop must be over a list among the variables, line 1."],
	["{% for i in (1..9) %}{% endfor %}", "A loop must be over a list among the variables, line 1."],
	["{% if (1..9) contains count %}{% endif %}", "Ranges are not allowed, line 1."],
	[
		"{% for a in items %}{% for b in items %}{% endfor %}{% endfor %}",
		"A loop inside a loop is not allowed, line 1.",
	],
])("refused: %s", (source, problem) => {
	expect(checkLiquid(source, variables).map(reasonOf)).toContain(problem);
});

test.each([
	..."assign capture comment cycle decrement echo include increment layout liquid raw render tablerow".split(
		" ",
	),
	...["block", "break", "continue", "#"],
])("the tag %s does not exist", (tag) => {
	const source = `{% for item in items %}{% ${tag} name %}{% end${tag} %}{% endfor %}`;
	expect(checkLiquid(source, variables)[0]).toEqual(fault("tag_unknown", { tag, line: 1 }));
});

test.each([
	..."append base64_encode concat group_by json map pop prepend push raw replace replace_first".split(" "),
	..."sort_natural split strip_html times where find_exp size".split(" "),
])("the filter %s does not exist", (filter) => {
	const found = checkLiquid(`\n{{ name | ${filter}: "a" }}`, variables);
	expect(found).toEqual([fault("filter_unknown", { filter, line: 2 })]);
});

/** What attackers used in releases of the engine before ours: none of it is in the subset. */
test.each([
	["CVE-2026-45618", "{{ 1 | valueOf }}"],
	["CVE-2026-45618", "{{ name | __defineGetter__: 'a' }}"],
	["CVE-2026-45618", "{% constructor %}"],
	["CVE-2026-30952", "{% include '/etc/passwd' %}"],
	["CVE-2026-30952", "{% render '../../etc/passwd' %}"],
	["CVE-2026-41311", "{% layout 'a' %}{% block a %}{% block a %}{% endblock %}{% endblock %}"],
	["CVE-2026-55575", "{{ items | pop }}"],
	["CVE-2026-39412", "{{ items | sort_natural: '__proto__' }}"],
	["CVE-2026-34166", "{{ name | replace: 'a', name }}"],
])("%s is refused: %s", (_cve, source) => {
	expect(checkLiquid(source, variables)).toHaveLength(1);
});

test("a template that is too long or not closed is refused", () => {
	const long = `é${"a".repeat(256 * 1024 - 1)}`;
	expect(checkLiquid(long, variables)).toEqual([fault("source_too_long", { max: 262_144 })]);
	const notClosed = (text: string) => [fault("liquid_not_closed", { text, line: 1 })];
	expect(checkLiquid("{% if name %}", variables)).toEqual(notClosed("{% if name %}"));
	expect(checkLiquid("{{ name", variables)).toEqual(notClosed("{{ name"));
	expect(checkLiquid("\n{{ (1..2 }}", variables)).toEqual([
		fault("liquid_invalid", { detail: "invalid range syntax", line: 2 }),
	]);
});
