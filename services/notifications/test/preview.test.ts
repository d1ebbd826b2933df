import type { TemplateFindingCode } from "@lango/contracts";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openOffice } from "./office.ts";

const office = setUp(openOffice);

const preview = (body: object, path = "shared/generic_notification") =>
	office.call({
		method: "POST",
		url: `/api/v1/uhai/notifications/templates/${path}/preview`,
		token: office.token(office.uhai, "admin"),
		body,
	});
const sms = { channel: "sms", locale: "en" };
const email = { channel: "email", locale: "sw" };
const data = {
	...{ name: "Asha", title: "Stock", message: "<script>alert(1)</script>{{ name }}" },
	action_link: "https://lango.example/stock",
};

test("a preview is rendered with the samples, on every channel", async () => {
	expect(await preview(sms)).toMatchObject({ status: 200, body: { segments: expect.any(Number) } });
	expect((await preview(email)).body).toMatchObject({ html: expect.stringContaining("</html>") });
	for (const channel of ["push", "in_app", "whatsapp"])
		expect((await preview({ channel, locale: "en" })).body).toMatchObject({ text: expect.any(String) });
});

test("values never become markup or Liquid", async () => {
	const { body } = await preview({ ...email, data });
	expect(body).toMatchObject({
		html: expect.stringContaining("&lt;script&gt;alert(1)&lt;/script&gt;{{ name }}"),
	});
	expect((body as unknown as { html: string }).html).not.toContain("<script");
});

test("an unsaved text is previewed", async () => {
	expect((await preview({ ...sms, data, source: "Hi {{ name }}" })).body).toEqual({
		text: "Hi Asha",
		segments: 1,
	});
});

test("a content that is new, and variables that are not saved, are previewed", async () => {
	const variables = [{ name: "colour", kind: "text" }];
	const typed = { ...sms, locale: "fr", data: { colour: "bleu" }, variables, source: "En {{ colour }}" };
	expect((await preview(typed)).body).toEqual({ text: "En bleu", segments: 1 });
	const reserved = [{ name: "tenant", kind: "text" }];
	expect((await preview({ ...typed, variables: reserved })).body).toMatchObject({
		...{ code: "template_invalid", field: "variables.tenant" },
	});
});

test.each<[string, object, string, TemplateFindingCode]>([
	["an undeclared variable", { ...sms, source: "{{ password }}" }, "sms.en.source", "variable_undeclared"],
	["a file", { ...sms, source: "{% include 'a' %}" }, "sms.en.source", "tag_unknown"],
	["a range", { ...sms, source: "{% for i in (1..9) %}{% endfor %}" }, "sms.en.source", "loop_without_list"],
	[
		"a script",
		{ ...email, subject: "A", source: "<script>alert(1)</script>" },
		"email.sw.source",
		"element_forbidden",
	],
	[
		"raw HTML",
		{ ...email, subject: "A", source: "<mj-raw><b>A</b></mj-raw>" },
		"email.sw.source",
		"raw_forbidden",
	],
	[
		"a computed link",
		{ ...email, subject: "A", source: '<mj-button href="https://{{ name }}">A</mj-button>' },
		"email.sw.source",
		"link_forbidden",
	],
	["no subject", { ...email, source: "<mj-text>A</mj-text>" }, "email.sw.subject", "subject_missing"],
])("a text with %s is refused with its place, a code and the reason", async (...[, body, place, code]) => {
	expect(await preview(body)).toMatchObject({
		status: 400,
		body: { code: "template_invalid", problems: [{ place, code, reason: expect.stringMatching(/\.$/) }] },
	});
});

test("a preview is refused with the variable that is missing, without content, and without template", async () => {
	expect((await preview({ ...sms, data: { ...data, title: undefined } })).body).toMatchObject({
		...{ code: "variable_missing", field: "data.title" },
	});
	expect((await preview({ ...sms, data: { ...data, action_link: "javascript:1" } })).body).toMatchObject({
		...{ code: "variable_invalid", field: "data.action_link" },
	});
	expect((await preview({ ...sms, locale: "fr" })).body).toMatchObject({ code: "channel_unsupported" });
	expect((await preview(sms, "shared/unknown")).body).toMatchObject({ code: "template_not_found" });
});
