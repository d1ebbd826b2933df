import { Page, PageQuery, Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { actorOf, originOf } from "../../request/actor.ts";
import { callerOf, callOf, tenantOf } from "../../request/call.ts";
import { pageBy, readKey, textForm } from "../../request/paging.ts";
import { permit, type Route, route } from "../../request/route.ts";
import type { Domain } from "../assembly/domain.ts";
import { type ConfigChecks, changeConfig } from "./change-config.ts";
import { listConfig } from "./config.store.ts";

const ConfigKey = Type.String({ pattern: "^[a-z][a-z0-9_.-]{0,62}$" });
const ConfigEntry = Type.Object({
	key: ConfigKey,
	value: Type.Unknown({ description: "Any JSON value" }),
	source: Type.Union([Type.Literal("platform"), Type.Literal("tenant")], {
		description: "Whether the tenant set it, or it is the default of the platform",
	}),
});

type Options = { listedAt?: string; checks?: ConfigChecks };

/** Lists (at `listedAt`) and changes the service's settings, for administrators (spec §2.4 ServiceConfig). */
export const configRoutes = (
	{ name, db, now, settings }: Domain,
	{ listedAt = "/config", checks = {} }: Options = {},
): readonly Route[] => [
	route({
		method: "GET",
		url: listedAt,
		access: permit(`${name}.config.view`),
		schema: {
			summary: "Lists the effective settings of the tenant",
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
			}),
			response: { 200: Page(ConfigEntry) },
		},
		handler: async (request) => {
			const { cursor, limit = 50 } = request.query;
			const after = readKey(cursor, textForm) ?? "";
			const found = await inTenant(db, tenantOf(request).id, (tx) =>
				listConfig(tx, { after, limit: limit + 1 }),
			);
			return pageBy(found, { limit, toWire: (entry) => entry, keyOf: ({ key }) => key });
		},
	}),
	route({
		method: "PUT",
		url: "/config",
		access: permit(`${name}.config.manage`),
		schema: {
			summary:
				"Sets one setting of the tenant; null removes it, and the default of the platform applies again",
			body: Shape({ key: ConfigKey, value: Type.Unknown({ description: "Any JSON value of at most 8 KB" }) }),
			response: { 200: ConfigEntry },
		},
		handler: async (request) => {
			const { id: tenantId, slug } = tenantOf(request);
			const caller = callerOf(request);
			const isPlatformOwner = caller.kind === "user" && caller.isPlatformOwner;
			return changeConfig(db, {
				entry: request.body,
				tenantId,
				isPlatformDefault:
					isPlatformOwner && slug === settings.platformOwnerSlug && callOf(request).isAcrossTenants !== true,
				actor: actorOf(caller),
				origin: originOf(request),
				now: now(),
				checks,
			});
		},
	}),
];
