import { createHash } from "node:crypto";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import type { RouteRules } from "../request/route.ts";
import { withRefusals } from "./document-refusals.ts";
import { referencePage, referenceStyle } from "./reference-page.ts";

/**
 * `GET /openapi.json`, generated from the schemas of the routes, and `GET /docs`, a readable reference.
 */
export async function installDocs(
	app: FastifyInstance,
	{ title, isRateLimited }: { title: string; isRateLimited: boolean },
): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: "3.1.0",
			info: { title, version: "1" },
			components: {
				securitySchemes: {
					bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
					apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
				},
			},
		},
		transform: ({ schema, url, route }) => {
			const { rules } = (route.config ?? {}) as { rules?: RouteRules };
			if (rules === undefined) return { schema: { ...schema, security: [] }, url };
			const documented = withRefusals({ url, schema: schema ?? {}, rules }, { isRateLimited });
			const exempt = rules.subscription && { "x-subscription-exempt": rules.subscription.exempt };
			const wide = rules.outlets && { "x-tenant-wide": rules.outlets.because };
			return { schema: { ...documented, ...exempt, ...wide, security: securityOf(rules.access.kind) }, url };
		},
	});
	// Generated once, because routes do not change while the service runs.
	let document: string | undefined;
	let page: string | undefined;
	app.get("/openapi.json", { schema: { hide: true } }, (_request, reply) => {
		document ??= JSON.stringify(app.swagger());
		return reply.type("application/json; charset=utf-8").send(document);
	});
	const styleHash = createHash("sha256").update(referenceStyle).digest("base64");
	app.get("/docs", { schema: { hide: true } }, (_request, reply) => {
		page ??= referencePage(app.swagger());
		return reply
			.type("text/html; charset=utf-8")
			.header(
				"content-security-policy",
				`default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
			)
			.send(page);
	});
}

/** The credentials that a route accepts: none, an API key, or a token. */
function securityOf(kind: RouteRules["access"]["kind"]): Array<Record<string, string[]>> {
	if (kind === "open") return [];
	return kind === "api_key" ? [{ apiKey: [] }] : [{ bearer: [] }, { apiKey: [] }];
}
