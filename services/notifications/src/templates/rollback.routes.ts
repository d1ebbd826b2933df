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
import { Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import type { Settings } from "../config.ts";
import { failures } from "../failures.ts";
import type { PublishedTemplates } from "./published-templates.ts";
import { requireTemplate } from "./require-template.ts";
import { endOverride, rollTemplateBack } from "./rollback.store.ts";
import { pathOf, scopeOf } from "./template-scope.ts";
import { TemplateParams, TemplateWire, toTemplateWire } from "./template-wire.ts";

type Editing = Domain<Settings> & { templates: PublishedTemplates };

const tags = ["templates"];
const access = permit("notifications.templates.change");
const product = "notifications";
const ofTheTenant = tenantWide("templates are the tenant's");
const versionMax = 2_147_483_647;

/** The routes that bring back an earlier version of a template, or that of the platform. */
export const rollbackRoutes = (domain: Editing): readonly Route[] => [rollingBack(domain), ending(domain)];

const rollingBack = (domain: Editing): Route =>
	route({
		method: "POST",
		url: "/templates/:group/:name/rollback",
		access,
		product,
		outlets: ofTheTenant,
		schema: {
			summary: "Publishes a copy of an earlier version of a template",
			description: "The draft stays as it is.",
			tags,
			params: TemplateParams,
			body: Shape({ version: Type.Integer({ minimum: 1, maximum: versionMax }) }),
			response: { 200: TemplateWire },
		},
		handler: async (request) => {
			const { tenantId, isPlatform } = scopeOf(domain, request);
			const [path, at, actor] = [pathOf(request.params), domain.now(), actorOf(callerOf(request))];
			const { version: from } = request.body;
			const published = await inTenant(domain.db, tenantId, async (tx) => {
				const version = await rollTemplateBack(tx, {
					...{ isPlatform, path, version: from, by: actor.id, now: at },
				});
				if (version === undefined) throw failures.template_not_found();
				await recordAudit(tx, {
					...{
						tenantId,
						at,
						actor,
						action: "template.rolled_back",
						subject: path,
						detail: { from, version },
					},
					...originOf(request),
				});
				return requireTemplate(tx, { tenantId, isPlatform, path });
			});
			domain.templates.published(isPlatform ? undefined : tenantId);
			return toTemplateWire(published);
		},
	});

const ending = (domain: Editing): Route =>
	route({
		method: "DELETE",
		url: "/templates/:group/:name/override",
		access,
		product,
		outlets: ofTheTenant,
		schema: {
			summary: "Puts the platform's template into force again, and deletes the draft",
			description:
				"A template of the tenant's own is withdrawn. Its versions stay, and can be rolled back to.",
			tags,
			params: TemplateParams,
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { tenantId, isPlatform } = scopeOf(domain, request);
			const [path, at, actor] = [pathOf(request.params), domain.now(), actorOf(callerOf(request))];
			await inTenant(domain.db, tenantId, async (tx) => {
				if (!(await endOverride(tx, { isPlatform, path, now: at }))) throw failures.template_not_found();
				await recordAudit(tx, {
					...{ tenantId, at, actor, action: "template.override_ended", subject: path, detail: {} },
					...originOf(request),
				});
			});
			domain.templates.published(isPlatform ? undefined : tenantId);
			return reply.code(204).send(null);
		},
	});
