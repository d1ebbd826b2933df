import { expect, test } from "vitest";
import { compileTemplate, TemplateInvalid, type TemplateSource } from "./compile-template.ts";
import { renderMessage } from "./render.ts";
import type { RenderedEmail } from "./rendered.ts";

const base: TemplateSource = {
	path: "visits/reminder",
	category: "general",
	variables: [
		{ name: "name", kind: "text" },
		{ name: "count", kind: "number" },
		{ name: "link", kind: "link" },
	],
	samples: { name: "Amina", count: 2, link: "https://example.com/a" },
	contents: [],
};
const email = (source: string, subject = "Visit of {{ name }}") => ({
	...base,
	contents: [{ channel: "email" as const, locale: "en", subject, source }],
});
const sms = (source: string) => ({ ...base, contents: [{ channel: "sms" as const, locale: "en", source }] });

async function render(source: TemplateSource): Promise<RenderedEmail> {
	const template = await compileTemplate(source);
	const rendered = renderMessage({
		template,
		channel: "email",
		locale: "en",
		values: source.samples,
		formats: { timeZone: "Africa/Nairobi", currency: "KES" },
		branding: { tenantName: "Uhai Hospital", colour: "#ffcc00" },
		to: "amina@example.com",
		from: { name: "Uhai Hospital", address: "no-reply@lango.example" },
		unsubscribeUrl: "https://example.com/unsubscribe?t=a",
	});
	if (rendered.channel !== "email") throw new Error("not an e-mail");
	return rendered;
}

test.each([
	["elements of one column", "<mj-text>Hello {{ name }}</mj-text>"],
	["sections", "<mj-section><mj-column><mj-text>Hello {{ name }}</mj-text></mj-column></mj-section>"],
])(
	"a body of %s is put into the layout, which names the tenant and has the link to unsubscribe",
	async (_, body) => {
		const { html, text, subject } = await render(email(body));
		expect(subject).toBe("Visit of Amina");
		expect(html).toContain("<title>Visit of Amina</title>");
		expect(html).toContain('<meta name="color-scheme" content="light dark">');
		expect(html).toContain("@media (prefers-color-scheme: dark)");
		expect(html).toContain('href="https://example.com/unsubscribe?t=a"');
		const parts = [
			"Hello Amina",
			"This message was sent by Uhai Hospital.",
			"https://example.com/unsubscribe?t=a",
		];
		for (const part of parts) expect(text).toContain(part);
	},
);

test("the tenant's colour is that of buttons, with a readable text", async () => {
	const { html } = await render(email('<mj-button href="{{ link }}">Open</mj-button>'));
	expect(html).toContain('bgcolor="#ffcc00"');
	expect(html).toContain("color:#000000");
});

test.each([
	["of a link that the message has", '<mj-button href="{{ link }}">Log in at bank.example</mj-button>'],
	["of an address in the template", '<mj-button href="https://example.com/a"><b>Open</b></mj-button>'],
])("below a button the page shows the host %s, and its text part the whole link", async (_, body) => {
	const { html, text } = await render(email(`${body}<mj-text>Bye</mj-text>`));
	expect(html).toMatch(/<div[^>]*>example\.com<\/div>/);
	expect(html.indexOf(">example.com<")).toBeGreaterThan(html.indexOf('href="https://example.com/a"'));
	expect(text).toContain(": https://example.com/a\n\nBye");
});

test.each([
	["of a link that the message has", '<a href="{{ link }}">Log in at bank.example</a>'],
	["of an address in the template", '<a title="a" href="https://example.com/a"><b>Open</b></a>'],
	["of a link whose words contain its address", '<a href="{{ link }}">See {{ link }}</a>'],
	["of a link in a condition", '{% if count > 1 %}<a href="{{ link }}">Open</a>{% endif %}'],
])("after a link in a text the page shows the host %s, and its text part the whole link", async (_, link) => {
	const { html, text } = await render(email(`<mj-text>Visit ${link}, please</mj-text>`));
	expect(html).toMatch(/<\/a><span class="host"[^>]*> \(example\.com\)<\/span>, please/);
	expect(text).toMatch(/^Visit .+: https:\/\/example\.com\/a, please$/m);
});

test.each([
	["that the message has", '<a href="{{ link }}">{{ link }}</a>'],
	["in the template", '<a href="https://example.com/a">https://example.com/a</a>'],
])("a link in a text whose words are its address %s is shown as it is", async (_, link) => {
	const { html, text } = await render(email(`<mj-text>${link}</mj-text>`));
	expect(html).not.toContain('<span class="host"');
	expect(text.split("\n")[0]).toBe("https://example.com/a");
});

test("an element in a text of Liquid does not end a link", async () => {
	const { html } = await render(email('<mj-text><a href="{{ link }}">{{ "</a>" }} {{ name }}</a></mj-text>'));
	expect(html).toMatch(/>&lt;\/a&gt; Amina<\/a><span/);
});

test("below a picture that is a link the page shows its host, and below another picture none", async () => {
	const picture = (link: string) => `<mj-image src="https://cdn.example.net/a.png" alt="Pay" ${link}/>`;
	const { html } = await render(email(`${picture('href="{{ link }}" ')}${picture("")}`));
	expect(html.match(/>example\.com<\/div>/g)).toHaveLength(1);
	expect(html.indexOf(">example.com<")).toBeLessThan(html.lastIndexOf("<img"));
});

test("each of several buttons has the host of its own link", async () => {
	const source = email(
		'<mj-button href="https://bank.example" /><mj-button href="{{ other }}">One</mj-button><mj-button href="{{ link }}">Two</mj-button>',
	);
	const { html } = await render({
		...source,
		variables: [...source.variables, { name: "other", kind: "link" }],
		samples: { ...source.samples, other: "https://other.example/b" },
	});
	const hosts = [...html.matchAll(/<div[^>]*>([a-z]+\.(?:example|com))<\/div>/g)].map(([, host]) => host);
	expect(hosts).toEqual(["bank.example", "other.example", "example.com"]);
});

test("conditions and plurals work in a page and its text part", async () => {
	const body =
		'<mj-text>{% if count < 2 %}<b>few</b>{% else %}{{ count }} {{ count | plural: "visit", "visits" }}{% endif %}</mj-text>';
	const { html, text } = await render(email(body));
	expect(html).toContain(">2 visits</div>");
	expect(text).toContain("2 visits");
});

test.each<[string, TemplateSource, string, RegExp]>([
	[
		"an undeclared variable",
		email("<mj-text>{{ other }}</mj-text>"),
		"email.en.source",
		/other is not declared/,
	],
	[
		"an undeclared variable in a subject",
		email("<mj-text>a</mj-text>", "{{ other }}"),
		"email.en.subject",
		/other/,
	],
	["a missing subject", email("<mj-text>a</mj-text>", " "), "email.en.subject", /missing/],
	[
		"a subject of an SMS",
		{ ...base, contents: [{ channel: "sms", locale: "en", subject: "a", source: "a" }] },
		"sms.en.subject",
		/no subject/,
	],
	["a tag that is not allowed", sms("{% assign a = 1 %}"), "sms.en.source", /tag assign does not exist/],
	["an include", email('<mj-include path="a" />'), "email.en.source", /cannot be included/],
	[
		"an element in the wrong place",
		email("<mj-text>a</mj-text><mj-column></mj-column>"),
		"email.en.source",
		/mj-column/,
	],
	[
		"Liquid between elements",
		email("{% if name %}<mj-text>a</mj-text>{% endif %}"),
		"email.en.source",
		/must be inside/,
	],
	[
		"a link that is not a link variable",
		email('<mj-button href="{{ name }}">a</mj-button>'),
		"email.en.source",
		/one link variable/,
	],
	[
		"a link that is not https",
		email('<mj-button href="http://a.example">a</mj-button>'),
		"email.en.source",
		/https/,
	],
	[
		"a link with a script",
		email('<mj-text><a href="javascript:x">a</a></mj-text>'),
		"email.en.source",
		/https/,
	],
	[
		"a content without English",
		{ ...base, contents: [{ channel: "sms", locale: "sw", source: "a" }] },
		"sms.en",
		/missing/,
	],
	[
		"a language tag that is not valid",
		{ ...base, contents: [{ channel: "sms", locale: "en_../x", source: "a" }] },
		"sms.en_../x.locale",
		/not a language/,
	],
	["no content", base, "contents", /no content/],
	["samples without a variable", { ...sms("{{ name }}"), samples: {} }, "sms.en", /undefined variable: name/],
])("%s is refused", async (...[, source, place, reason]) => {
	const error: unknown = await compileTemplate(source).catch((thrown: unknown) => thrown);
	if (!(error instanceof TemplateInvalid)) throw error;
	expect(error.problems).toContainEqual(
		expect.objectContaining({ place, reason: expect.stringMatching(reason) }),
	);
});

test("a content that is there twice is refused", async () => {
	const { contents } = sms("a");
	await expect(compileTemplate({ ...base, contents: [...contents, ...contents] })).rejects.toThrow(
		/there twice/,
	);
});
