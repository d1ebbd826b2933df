import { describePermission } from "@lango/access";
import { Page, PageQuery } from "@lango/contracts";
import Type from "typebox";
import { pageBy, readKey, textForm } from "../../request/paging.ts";
import { permit, type Route, route } from "../../request/route.ts";
import type { Domain } from "../assembly/domain.ts";

const ServicePermission = Type.Object({
	code: Type.String(),
	module: Type.String(),
	action: Type.String(),
	resource: Type.String(),
	description: Type.String(),
	is_reserved: Type.Boolean({ description: "No route asks for it yet" }),
});

/** The permissions that can be granted in the service; the same for all tenants. */
export const permissionRoutes = ({ name, policy }: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/permissions",
		access: permit(`${name}.permissions.view`),
		schema: {
			summary: "Lists the permissions that can be granted in this service",
			querystring: Type.Object(PageQuery),
			response: { 200: Page(ServicePermission) },
		},
		handler: async (request) => {
			const { cursor, limit = 50 } = request.query;
			const after = readKey(cursor, textForm) ?? "";
			const rows = policy.permissions
				.filter(({ code }) => code > after)
				.sort((left, right) => (left.code < right.code ? -1 : 1));
			return pageBy(rows, {
				limit,
				toWire: (permission) => ({
					code: permission.code,
					module: permission.module,
					action: permission.action,
					...describePermission(permission),
					is_reserved: policy.reserved.has(permission.code),
				}),
				keyOf: ({ code }) => code,
			});
		},
	}),
];
