import { expect, test } from "vitest";
import type { Channel } from "../channel.ts";
import type { Category, TemplateContent, TemplateVersion, Values } from "../template.ts";
import { type Message, renderMessage } from "./render.ts";

const contents: TemplateContent[] = [
	{
		channel: "email",
		locale: "en",
		subject: "Ticket {{ number }}",
		source: "",
		html: '<p style="color: {{ layout.colour }}">{{ name }}</p>{{ layout.logo_url }}|{{ layout.unsubscribe_url }}',
		text: "{{ name }}",
	},
	{ channel: "sms", locale: "en", source: "", text: "{{ name }} {{ at }} {{ link }}" },
	{ channel: "sms", locale: "sw", source: "", text: "Habari {{ name }} {{ at }}" },
	{ channel: "push", locale: "en", subject: "Ticket {{ number }}", source: "", text: "{{ name }}" },
	{ channel: "in_app", locale: "en", subject: "Ticket {{ number }}", source: "", text: "{{ name }}" },
	{ channel: "whatsapp", locale: "en", source: "", text: "{{ name }}", whatsappName: "visits_ticket" },
];
const template = (category: Category = "general"): TemplateVersion => ({
	path: "visits/ticket",
	category,
	variables: [
		{ name: "name", kind: "text" },
		{ name: "number", kind: "text" },
		{ name: "at", kind: "date" },
		{ name: "link", kind: "link" },
	],
	contents,
});
const values: Values = {
	name: "Amina",
	number: 12_345,
	at: "2026-11-23T08:00:00Z",
	link: "https://example.com/a",
};

const render = (channel: Channel, message: Partial<Message> = {}) =>
	renderMessage({
		template: template(),
		channel,
		locale: "en",
		values,
		formats: { timeZone: "Africa/Nairobi", currency: "KES" },
		branding: { tenantName: "Uhai" },
		to: "someone",
		from: { name: "Uhai", address: "no-reply@lango.example" },
		...message,
	});

test("each channel has the fields of its messages", () => {
	expect(render("sms")).toEqual({
		channel: "sms",
		to: "someone",
		text: "Amina 23 November 2026, 11:00 https://example.com/a",
		segments: 1,
	});
	const note = { to: "someone", title: "Ticket 12345", body: "Amina", link: "https://example.com/a" };
	expect(render("push")).toEqual({ channel: "push", ...note });
	expect(render("in_app")).toEqual({ channel: "in_app", ...note });
	expect(render("whatsapp")).toEqual({
		channel: "whatsapp",
		to: "someone",
		text: "Amina",
		template: {
			name: "visits_ticket",
			locale: "en",
			values: ["Amina", "12345", "23 November 2026, 11:00", "https://example.com/a"],
		},
	});
	expect(render("email", { replyTo: "desk@example.com" })).toEqual({
		channel: "email",
		from: { name: "Uhai", address: "no-reply@lango.example" },
		to: "someone",
		replyTo: "desk@example.com",
		subject: "Ticket 12345",
		html: '<p style="color: #0f4a48">Amina</p>|',
		text: "Amina",
	});
});

test("a message is in the language asked for, with its formats, else in English", () => {
	expect(render("sms", { locale: "sw-KE" })).toMatchObject({ text: "Habari Amina 23 Novemba 2026, 11:00" });
	expect(render("push", { locale: "sw" })).toMatchObject({ title: "Ticket 12345" });
});

test("a channel without content is an error", () => {
	const empty = { ...template(), contents: [] };
	expect(() => render("sms", { template: empty })).toThrow(
		"The template visits/ticket has no content for sms",
	);
});

test("a title of the caller replaces that of the template and is not run as Liquid", () => {
	const metadata = { subject: "{{ name }}\r\nBcc: x@example.com", push_title: "{% if %}" };
	expect(render("email", { metadata })).toMatchObject({ subject: "{{ name }} Bcc: x@example.com" });
	expect(render("push", { metadata })).toMatchObject({ title: "{% if %}" });
	expect(render("in_app", { metadata })).toMatchObject({ title: "Ticket 12345" });
});

test("subjects and names are one line of at most 200 characters", () => {
	const long = `a\r\nb\t${"c".repeat(300)}`;
	const email = render("email", {
		values: { ...values, number: long },
		from: { name: long, address: "a@b.example" },
	});
	if (email.channel !== "email") throw new Error("not an e-mail");
	for (const line of [email.subject, email.from.name]) {
		expect(line).toMatch(/a b c+…$/);
		expect([...line]).toHaveLength(200);
	}
});

test("an e-mail has an address to unsubscribe only if its category can be unsubscribed", () => {
	const unsubscribeUrl = "https://example.com/u";
	expect(render("email", { unsubscribeUrl })).toMatchObject({ unsubscribeUrl });
	expect(render("email", { unsubscribeUrl, template: template("security") })).not.toHaveProperty(
		"unsubscribeUrl",
	);
});

test.each([
	["red; background: url(x)", "#0f4a48"],
	["#ABCDEF", "#ABCDEF"],
])("the colour %s is shown as %s", (colour, shown) => {
	expect(render("email", { branding: { tenantName: "Uhai", colour } })).toMatchObject({
		html: expect.stringContaining(`color: ${shown}"`),
	});
});

test("a logo is an address or is left out", () => {
	const page = (logoUrl: string) => render("email", { branding: { tenantName: "Uhai", logoUrl } });
	expect(page("https://cdn.example.com/a.png")).toMatchObject({
		html: expect.stringContaining("https://cdn"),
	});
	expect(page("javascript:alert(1)")).toMatchObject({ html: expect.not.stringContaining("javascript") });
});

test("control characters and directional overrides are removed, other scripts stay", () => {
	const name = "a\u0000b\u202ec\u2066d\ud800\r\nمرحبا 👍";
	expect(render("push", { values: { ...values, name } })).toMatchObject({ body: "abcd\ufffd\nمرحبا 👍" });
});

test("a text that is too long for a provider is cut", () => {
	const name = "a".repeat(10_000);
	expect(render("sms", { values: { ...values, name } })).toMatchObject({
		text: expect.stringMatching(/^a{1599}…$/),
	});
	expect(render("push", { values: { ...values, name } })).toMatchObject({
		body: expect.stringMatching(/^a{999}…$/),
	});
});

test("a missing value is an error and never a gap", () => {
	expect(() => render("sms", { values: {} })).toThrow(/undefined variable: name/);
});
