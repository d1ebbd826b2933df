import { type Domain, permit, type Route, route, tenantWide } from "@lango/chassis";
import { Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { channels } from "../channel.ts";
import type { Settings } from "../config.ts";
import { failures } from "../failures.ts";
import type { Letterheads } from "../letterheads/letterhead.ts";
import type { Rendered } from "../rendering/rendered.ts";
import { requireVariables } from "./draft.ts";
import { previewTemplate } from "./preview-template.ts";
import { pathOf, scopeOf } from "./template-scope.ts";
import { NewVariables, SamplesWire } from "./template-source-wire.ts";
import { findTemplate } from "./template-view.store.ts";
import { TemplateParams } from "./template-wire.ts";

const sourceLengthMax = 262_144;

const PreviewWire = Type.Object({
	subject: Type.Optional(Type.String({ description: "Of an e-mail, or the title of a short message" })),
	html: Type.Optional(Type.String({ description: "The page of an e-mail: show it in a sandboxed frame" })),
	text: Type.String(),
	segments: Type.Optional(Type.Integer({ description: "Of a text message" })),
});

/** A source has at most 256 KB; JSON escapes some of its characters. */
const bodyBytesMax = 1024 * 1024;

/** The preview of a template while it is edited. It stores and sends nothing. */
export const previewRoutes = (
	domain: Domain<Settings> & { letterheads: Letterheads; allowHttp: boolean },
): readonly Route[] => [
	route({
		method: "POST",
		url: "/templates/:group/:name/preview",
		access: permit("notifications.templates.change"),
		product: "notifications",
		bodyLimit: bodyBytesMax,
		outlets: tenantWide("templates are the tenant's"),
		schema: {
			summary: "Renders a content of a template with values, as the tenant's messages show it",
			description:
				"Renders the draft, else what is in force. Without data the samples of the template are used. " +
				"Subject, source and variables are those of an unsaved change, of a content that can be new. What is wrong in " +
				"them is in problems, each with a stable code and its parameters.",
			tags: ["templates"],
			params: TemplateParams,
			body: Shape({
				channel: Type.Enum([...channels], { type: "string" }),
				locale: Type.String({ minLength: 2, maxLength: 10 }),
				data: Type.Optional(SamplesWire),
				variables: Type.Optional(NewVariables),
				subject: Type.Optional(Type.String({ maxLength: 1_000 })),
				source: Type.Optional(Type.String({ maxLength: sourceLengthMax })),
			}),
			response: { 200: PreviewWire },
		},
		handler: async (request) => {
			const { channel, locale, data, subject, source, variables } = request.body;
			if (variables !== undefined) requireVariables(variables);
			const scope = scopeOf(domain, request);
			const query = { ...scope, path: pathOf(request.params) };
			const found = await inTenant(domain.db, scope.tenantId, (tx) => findTemplate(tx, query));
			if (found === undefined) throw failures.template_not_found();
			const letterhead = await domain.letterheads.get(scope.tenantId);
			const typed = source === undefined ? undefined : { source, ...(subject !== undefined && { subject }) };
			const { allowHttp } = domain;
			const { shown } = await previewTemplate(
				found,
				{ channel, locale, typed, data, variables },
				{ letterhead, allowHttp },
			);
			return toPreviewWire(shown);
		},
	}),
];

function toPreviewWire(shown: Rendered): Static<typeof PreviewWire> {
	if (shown.channel === "email") return { subject: shown.subject, html: shown.html, text: shown.text };
	if (shown.channel === "sms") return { text: shown.text, segments: shown.segments };
	return "title" in shown ? { subject: shown.title, text: shown.body } : { text: shown.text };
}
