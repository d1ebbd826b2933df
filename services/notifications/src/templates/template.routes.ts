import {
	type Domain,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantWide,
	textForm,
	totalOf,
} from "@lango/chassis";
import { PageQuery, TotalQuery } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import type { Settings } from "../config.ts";
import { failures } from "../failures.ts";
import { pathOf, scopeOf } from "./template-scope.ts";
import { findPublished, findTemplate, listTemplates, listVersions } from "./template-view.store.ts";
import {
	SummaryPage,
	TemplateParams,
	TemplateWire,
	toSummaryWire,
	toTemplateWire,
	toVersionSummaryWire,
	toVersionWire,
	VersionPage,
	VersionWire,
} from "./template-wire.ts";

const tags = ["templates"];
const ofTheTenant = tenantWide("templates are the tenant's");
const access = permit("notifications.templates.view");
const listing = {
	cursor: PageQuery.cursor,
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
};
const versionMax = 2_147_483_647;
const versionForm = /^[1-9][0-9]{0,8}$/;

/** The routes that read templates: what is in force for the tenant, drafts, and published versions (§2.2). */
export const templateRoutes = (domain: Domain<Settings>): readonly Route[] => [
	listingTemplates(domain),
	showing(domain),
	listingVersions(domain),
	showingVersion(domain),
];

const listingTemplates = (domain: Domain<Settings>): Route =>
	route({
		method: "GET",
		url: "/templates",
		access,
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the templates of the tenant and those of the platform, and which of them is in force",
			tags,
			querystring: Type.Object({ ...listing, group: Type.Optional(TemplateParams.properties.group) }),
			response: { 200: SummaryPage },
		},
		handler: async (request) => {
			const { cursor, limit = 50, group } = request.query;
			const scope = scopeOf(domain, request);
			const query = { ...scope, group, after: readKey(cursor, textForm), limit: limit + 1 };
			const found = await inTenant(domain.db, scope.tenantId, (tx) => listTemplates(tx, query));
			return pageBy(found, { limit, toWire: toSummaryWire, keyOf: ({ path }) => path });
		},
	});

const showing = (domain: Domain<Settings>): Route =>
	route({
		method: "GET",
		url: "/templates/:group/:name",
		access,
		outlets: ofTheTenant,
		schema: {
			summary: "Returns a template: what is in force, the draft, and what the tenant overrides",
			description: "With a draft, the ETag names its state. Send it as If-Match with a change.",
			tags,
			params: TemplateParams,
			response: { 200: TemplateWire },
		},
		handler: async (request, reply) => {
			const scope = scopeOf(domain, request);
			const query = { ...scope, path: pathOf(request.params) };
			const found = await inTenant(domain.db, scope.tenantId, (tx) => findTemplate(tx, query));
			if (found === undefined) throw failures.template_not_found();
			if (found.draft !== undefined) reply.header("etag", found.draft.tag);
			return toTemplateWire(found);
		},
	});

const listingVersions = (domain: Domain<Settings>): Route =>
	route({
		method: "GET",
		url: "/templates/:group/:name/versions",
		access,
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the published versions of a template, the newest first",
			description: "The tenant's versions if it has published any, else those of the platform.",
			tags,
			params: TemplateParams,
			querystring: Type.Object({ ...listing, ...TotalQuery }),
			response: { 200: VersionPage },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const scope = scopeOf(domain, request);
			const key = readKey(cursor, versionForm);
			const after = key === undefined ? undefined : Number(key);
			const query = { ...scope, path: pathOf(request.params) };
			return inTenant(domain.db, scope.tenantId, async (tx) => {
				if ((await findTemplate(tx, query)) === undefined) throw failures.template_not_found();
				const found = await listVersions(tx, { ...query, after, limit: limit + 1 });
				return {
					...pageBy(found, { limit, toWire: toVersionSummaryWire, keyOf: ({ version }) => String(version) }),
					...(await totalOf(tx, isCounted, (all, page) => listVersions(all, { ...query, ...page }))),
				};
			});
		},
	});

const showingVersion = (domain: Domain<Settings>): Route =>
	route({
		method: "GET",
		url: "/templates/:group/:name/versions/:version",
		access,
		outlets: ofTheTenant,
		schema: {
			summary: "Returns a published version of a template",
			tags,
			params: Type.Object({
				...TemplateParams.properties,
				version: Type.Integer({ minimum: 1, maximum: versionMax }),
			}),
			response: { 200: VersionWire },
		},
		handler: async (request) => {
			const scope = scopeOf(domain, request);
			const query = { ...scope, path: pathOf(request.params), version: request.params.version };
			const found = await inTenant(domain.db, scope.tenantId, (tx) => findPublished(tx, query));
			if (found === undefined) throw failures.template_not_found();
			return toVersionWire(found);
		},
	});
