import { canonical, namesEntityTag, open, type Route, route, tenantOf } from "@lango/chassis";
import { FailureBody, TenantSettings, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { BySlug, refusals } from "../administrators/administration.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { logoMediaTypes, storedMediaType } from "../images/logo-encoder.ts";
import { changeLogo } from "./change-logo.ts";
import { changeSettings } from "./change-settings.ts";
import { findLogo } from "./logo.store.ts";

const uploadBytesMax = 256 * 1_024;
const Bytes = Type.Unsafe<Buffer | undefined>({ description: "The image file itself, at most 256 KB" });
const ByTenantAndHash = Type.Object({ id: Uuid, hash: Type.String({ pattern: "^[0-9a-f]{64}$" }) });
const Headers = Type.Object({ "if-none-match": Type.Optional(Type.String({ maxLength: 1_000 })) });

/**
 * An address identifies its content, so the response never changes. A browser that opens it as a page runs
 * no scripts.
 */
const servedWith = {
	"cache-control": "public, max-age=31536000, immutable",
	"content-security-policy": "default-src 'none'; sandbox",
	"cross-origin-resource-policy": "cross-origin",
} as const;

/** A tenant's logo: uploaded and removed by its administrators, readable without a credential. */
export const logoRoutes = (dependencies: Dependencies): readonly Route[] => [
	...changingRoutes(dependencies),
	servingRoute(dependencies),
];

const changingRoutes = (dependencies: Dependencies): Route[] => [
	route({
		method: "PUT",
		url: "/api/v1/tenants/:slug/logo",
		access: canonical("auth.settings.change"),
		bytes: logoMediaTypes,
		bodyLimit: uploadBytesMax,
		schema: {
			summary: "Uploads a tenant's logo",
			description:
				"The body is a PNG, JPEG or WebP image of at most 256 KB and 4096 by 4096 pixels that is not animated. It is encoded again as WebP of at most 512 by 512 pixels, without its metadata. `branding.logo_url` of the answer is its public address. While other logos are being processed the answer can be 503 with `Retry-After`.",
			params: BySlug,
			body: Bytes,
			response: {
				200: TenantSettings,
				400: FailureBody,
				413: FailureBody,
				415: FailureBody,
				...refusals,
			},
		},
		handler: (request) => {
			const { body, headers } = request;
			if (body === undefined || body === null || body.length === 0)
				throw failures.logo_unreadable({ fields: { field: "body", in: "body" } });
			const mediaType = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
			return changeLogo(
				dependencies,
				{ tenantId: tenantOf(request).id, content: body, mediaType },
				originOf(request, dependencies.now()),
			);
		},
	}),
	route({
		method: "DELETE",
		url: "/api/v1/tenants/:slug/logo",
		access: canonical("auth.settings.change"),
		schema: {
			summary: "Removes a tenant's logo",
			params: BySlug,
			response: { 204: Type.Null(), ...refusals },
		},
		handler: async (request, reply) => {
			const { id, slug } = tenantOf(request);
			const change = { branding: { logo_url: null } };
			await changeSettings(
				dependencies,
				{ tenantId: id, slug, change },
				originOf(request, dependencies.now()),
			);
			return reply.code(204).send(null);
		},
	}),
];

const servingRoute = ({ db }: Dependencies): Route =>
	route({
		method: "GET",
		url: "/api/v1/tenants/:id/logo/:hash",
		access: open("§4.1: pages show a tenant's branding before anybody signs in"),
		schema: {
			summary: "A tenant's logo",
			description:
				"`branding.logo_url` of a tenant is this address, absolute. The content of an address never changes and may be cached for a year.",
			params: ByTenantAndHash,
			headers: Headers,
			produces: [storedMediaType],
			response: {
				200: Type.Unsafe<Buffer>({ description: "A WebP image of at most 512 by 512 pixels" }),
				304: Type.Unsafe<undefined>({ type: "null", description: "Unchanged" }),
				404: FailureBody,
			},
		},
		handler: async ({ params: { id, hash }, headers }, reply) => {
			const content = await inTenant(db, id, (tx) => findLogo(tx, { tenantId: id, id: hash }));
			if (content === undefined) throw failures.logo_not_found();
			const tag = `"${hash}"`;
			reply.headers({ ...servedWith, etag: tag });
			if (namesEntityTag(headers["if-none-match"], tag)) return reply.code(304).send();
			return reply.type(storedMediaType).send(content);
		},
	});
