import { expect, test } from "vitest";
import { reasonOf } from "../findings/finding.ts";
import { checkSource } from "./check-source.ts";

test.each([
	"<mj-text>Hello {{ name }}, <strong>a</strong><br />b &amp; 1 < 2</mj-text>",
	'<mj-section><mj-column width="50%"><mj-divider /></mj-column></mj-section>',
	'<mj-button href="{{ link }}" background-color="#123456">Open</mj-button>',
	'<mj-image src="https://cdn.example.com/a.png?x=1&amp;y=2" alt="{{ name }}" />',
	"<mj-table>{% for item in items %}<tr><td>{{ item.title }}</td></tr>{% endfor %}</mj-table>",
	'<mj-text><span style="color: #123456; font-size: 14px">a</span></mj-text>',
	"<mj-text>{% if count < 3 %}<b>a</b>{% else %}<i>b</i>{% endif %}</mj-text>",
])("allowed: %s", (source) => {
	expect(checkSource(source)).toEqual([]);
});

const bare = "Comments, unquoted attributes and a bare < are not allowed.";
test.each([
	['<mj-include path="/etc/passwd" />', "Files cannot be included."],
	["<mj-raw><p>a</p></mj-raw>", "Raw HTML is not allowed."],
	["<mj-html-attributes></mj-html-attributes>", "HTML attributes cannot be added."],
	["<MJ-INCLUDE />", "The element MJ-INCLUDE is not allowed."],
	["<mj-text><script>alert(1)</script></mj-text>", "The element script is not allowed."],
	["<mj-style>.quiet { display: none }</mj-style>", "The element mj-style is not allowed."],
	["<mj-head></mj-head>", "The element mj-head is not allowed."],
	["<mj-text><style>a</style></mj-text>", "The element style is not allowed."],
	["<mj-text><iframe></iframe></mj-text>", "The element iframe is not allowed."],
	['<mj-text><a onclick="x">a</a></mj-text>', "The attribute onclick is not allowed."],
	['<mj-text css-class="quiet">a</mj-text>', "The attribute css-class is not allowed."],
	["<mj-text><a href={{ link }}>a</a></mj-text>", bare],
	["<mj-text><a {{ name }}>a</a></mj-text>", bare],
	["<mj-text><a href='{{ link }}'>a</a></mj-text>", bare],
	["<mj-text><!-- a --></mj-text>", bare],
	["<mj-text><!--[if mso]><p>a</p><![endif]--></mj-text>", bare],
	["<mj-text><![CDATA[a]]></mj-text>", bare],
	["<mj-text><?a ?></mj-text>", bare],
	["<mj-text><{{ name }}></mj-text>", bare],
	["<mj-text>< {{- name }}></mj-text>", bare],
	["<mj-text><{% if name %}script{% endif %}></mj-text>", bare],
	['<mj-text color="{{ name }}">a</mj-text>', "The attribute color contains a variable."],
	['<mj-text color="{% if a %}red{% endif %}">a</mj-text>', "The attribute color contains a tag of Liquid."],
	['<mj-text color="red&quot;&gt;">a</mj-text>', "The value of the attribute color is not allowed."],
	['<mj-section background-url="https://a.example">', "The attribute background-url is not allowed."],
	['<mj-text><p style="position: fixed">a</p></mj-text>', "The style position: fixed is not allowed."],
	['<mj-text><p style="color: url(x)">a</p></mj-text>', "The style color: url(x) is not allowed."],
	['<mj-text><p style="display: none">a</p></mj-text>', "The style display: none is not allowed."],
	["<mj-text><p>a</mj-text>", "The element mj-text is closed where it is not open."],
	["<mj-text>a", "The element mj-text is not closed."],
	['<mj-text><a href="{{ link }}" />a</mj-text>', "The element a is not closed."],
	["<mj-text><a>a <a>b</a></a></mj-text>", "The element a is not closed."],
	["<mj-button><a>a</a></mj-button>", "The element mj-button is not closed."],
	["<mj-text></td></tr></mj-text>", "The element td is closed where it is not open."],
	[
		"<mj-text>{% if name %}<p>{% endif %}</p></mj-text>",
		"Elements must be closed in the block that opens them.",
	],
	["<mj-text>{% if name %}</mj-text>{% endif %}", "The element mj-text is closed where it is not open."],
	["\ue000", "It contains characters of private use."],
])("refused: %s", (source, problem) => {
	expect(checkSource(source).map(reasonOf)).toContain(problem);
});
