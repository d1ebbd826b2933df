import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	type Domain,
	originOf,
	permit,
	type Route,
	route,
	tenantWide,
} from "@lango/chassis";
import { Shape, TemplateFinding } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import type { Settings } from "../config.ts";
import { failures } from "../failures.ts";
import { type Fault, fault, findingAt } from "../findings/finding.ts";
import { categories, isCritical } from "../template.ts";
import { countOwnTemplates, isGroupOfPlatform, publishDraft, saveDraft } from "./draft.store.ts";
import { changedDraft, checkTemplate, requireVariables, storedDraft, templateInvalid } from "./draft.ts";
import type { PublishedTemplates } from "./published-templates.ts";
import { requireTemplate } from "./require-template.ts";
import { pathOf, scopeOf } from "./template-scope.ts";
import { NewContents, NewVariables, readContents, SamplesWire } from "./template-source-wire.ts";
import { findTemplate, type Scope, type TemplateView } from "./template-view.store.ts";
import { TemplateParams, TemplateWire, toTemplateWire } from "./template-wire.ts";

type Editing = Domain<Settings> & { templates: PublishedTemplates; allowHttp: boolean };

const tags = ["templates"];
const access = permit("notifications.templates.change");
const product = "notifications";
const ofTheTenant = tenantWide("templates are the tenant's");
const bodyBytesMax = 1_048_576;
const templatesMax = 500;
/** Those that preferences do not switch off are the platform's. */
const ownCategories = categories.filter((category) => !isCritical(category));
const IfMatch = Type.Object({
	"if-match": Type.Optional(
		Type.String({ maxLength: 100, description: "The ETag of the draft; without a draft, leave it out" }),
	),
});

const DraftWire = Type.Object({ template: TemplateWire, findings: Type.Array(TemplateFinding) });

/**
 * Returns the tag of the draft; undefined without a draft. Throws `draft_changed` if the request names
 * another one. `*` is any draft (RFC 9110 §13.1.1). Proxies that compress an answer make its tag weak.
 */
function requireTag(headers: { "if-match"?: string }, { draft }: TemplateView): string | undefined {
	const sent = headers["if-match"]?.replace(/^W\//, "");
	const isAny = sent === "*" && draft !== undefined;
	if (!isAny && sent !== draft?.tag) throw failures.draft_changed();
	return draft?.tag;
}

/**
 * The routes that change and publish the draft of a template: an override, an own template, or the
 * platform's.
 */
export const draftRoutes = (domain: Editing): readonly Route[] => [
	creating(domain),
	saving(domain),
	publishing(domain),
];

const creating = (domain: Editing): Route =>
	route({
		method: "POST",
		url: "/templates",
		access,
		product,
		outlets: ofTheTenant,
		bodyLimit: bodyBytesMax,
		schema: {
			summary: "Creates a template of the tenant's own as a draft, and says what is wrong in it",
			description:
				"A tenant uses groups of its own. To replace a template of the platform, save a draft of it.",
			tags,
			body: Shape({
				path: Type.String({
					pattern: "^[a-z][a-z0-9_]{0,39}/[a-z][a-z0-9_]{0,59}$",
					"x-error": "must be a group and a name of small letters, digits and _, as in shop/welcome",
				}),
				category: Type.Enum(ownCategories, { type: "string" }),
				variables: NewVariables,
				samples: SamplesWire,
				contents: NewContents,
			}),
			response: { 201: DraftWire },
		},
		handler: async (request, reply) => {
			const scope = scopeOf(domain, request);
			const query = { ...scope, path: request.body.path };
			requireVariables(request.body.variables);
			const source = { ...request.body, contents: readContents(request.body.contents) };
			await inTenant(domain.db, scope.tenantId, (tx) => requireFree(tx, query));
			const checked = await checkTemplate(source, domain.allowHttp);
			const draft = { ...source, tag: undefined, by: actorOf(callerOf(request)).id };
			const made = await inTenant(domain.db, scope.tenantId, async (tx) => {
				await requireFree(tx, query);
				const etag = await saveDraft(tx, draft, { isPlatform: scope.isPlatform, now: domain.now() });
				if (etag === undefined) throw failures.draft_changed();
				reply.header("etag", etag);
				return requireTemplate(tx, query);
			});
			return reply.code(201).send(toDraftWire(made, checked));
		},
	});

/** Refuses a path that is in use or that the scope may not use, and more templates than a tenant may have. */
async function requireFree(tx: Database, { path, ...scope }: Scope & { path: string }): Promise<void> {
	if ((await countOwnTemplates(tx, scope.tenantId)) >= templatesMax) throw failures.too_many_templates();
	const [group = ""] = path.split("/");
	if ((await isGroupOfPlatform(tx, group)) !== scope.isPlatform)
		throw invalidPath(fault(scope.isPlatform ? "group_unknown" : "group_of_platform"));
	if ((await findTemplate(tx, { ...scope, path })) !== undefined) throw invalidPath(fault("path_used"));
}

const invalidPath = (found: Fault) => templateInvalid("path", [findingAt("path", found)]);

const toDraftWire = (
	template: TemplateView,
	checked: { ok: unknown } | { problems: readonly TemplateFinding[] },
): Static<typeof DraftWire> => ({
	template: toTemplateWire(template),
	findings: "problems" in checked ? [...checked.problems] : [],
});

const saving = (domain: Editing): Route =>
	route({
		method: "PUT",
		url: "/templates/:group/:name/draft",
		access,
		product,
		outlets: ofTheTenant,
		bodyLimit: bodyBytesMax,
		schema: {
			summary: "Saves the draft of a template, and says what is wrong in it",
			description:
				"The first draft of a template of the platform starts an override. The contents replace all of the " +
				"draft's. A draft with findings is saved, but cannot be published. Nothing is in force before that. Findings " +
				"have a stable code and its parameters; reason is the English text of both.",
			tags,
			params: TemplateParams,
			headers: IfMatch,
			body: Shape({
				variables: Type.Optional(NewVariables),
				samples: Type.Optional(SamplesWire),
				contents: NewContents,
			}),
			response: { 200: DraftWire },
		},
		handler: async (request, reply) => {
			const scope = scopeOf(domain, request);
			const query = { ...scope, path: pathOf(request.params) };
			const found = await inTenant(domain.db, scope.tenantId, (tx) => requireTemplate(tx, query));
			const tag = requireTag(request.headers, found);
			const source = changedDraft(found, { ...request.body, contents: readContents(request.body.contents) });
			const checked = await checkTemplate(source, domain.allowHttp);
			const draft = { ...source, tag, by: actorOf(callerOf(request)).id };
			const saved = await inTenant(domain.db, scope.tenantId, async (tx) => {
				const etag = await saveDraft(tx, draft, { isPlatform: scope.isPlatform, now: domain.now() });
				if (etag === undefined) throw failures.draft_changed();
				reply.header("etag", etag);
				return requireTemplate(tx, query);
			});
			return toDraftWire(saved, checked);
		},
	});

const publishing = (domain: Editing): Route =>
	route({
		method: "POST",
		url: "/templates/:group/:name/publish",
		access,
		product,
		outlets: ofTheTenant,
		schema: {
			summary: "Publishes the draft of a template as a new version",
			description:
				"Every channel needs English, and every content must be rendered with the samples. The version is in " +
				"force at once, for messages that are accepted from now on. A refusal has the findings as problems.",
			tags,
			params: TemplateParams,
			headers: IfMatch,
			response: { 200: TemplateWire },
		},
		handler: async (request) => {
			const scope = scopeOf(domain, request);
			const query = { ...scope, path: pathOf(request.params) };
			const found = await inTenant(domain.db, scope.tenantId, (tx) => requireTemplate(tx, query));
			const tag = requireTag(request.headers, found);
			if (found.draft === undefined) throw failures.draft_changed();
			const source = storedDraft(found, found.draft);
			const checked = await checkTemplate(source, domain.allowHttp);
			if ("problems" in checked)
				throw failures.template_invalid({ fields: { field: "draft", problems: checked.problems } });
			const [at, actor] = [domain.now(), actorOf(callerOf(request))];
			const draft = { ...source, contents: checked.ok.contents, tag, by: actor.id };
			const published = await inTenant(domain.db, scope.tenantId, async (tx) => {
				const version = await publishDraft(tx, draft, { isPlatform: scope.isPlatform, now: at });
				if (version === undefined) throw failures.draft_changed();
				await recordAudit(tx, {
					...{ tenantId: scope.tenantId, at, actor, action: "template.published", subject: query.path },
					...{ detail: { version }, ...originOf(request) },
				});
				return requireTemplate(tx, query);
			});
			domain.templates.published(scope.isPlatform ? undefined : scope.tenantId);
			return toTemplateWire(published);
		},
	});
