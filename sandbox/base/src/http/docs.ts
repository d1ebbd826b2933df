import { createHash } from "node:crypto";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";

type Operation = {
	summary?: string;
	description?: string;
	requestBody?: { content?: Record<string, { schema?: unknown }> };
};
type Document = { paths?: Record<string, Record<string, Operation>> };
type Title = { title: string; description: string };

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
html{background:light-dark(#fff,#14181b);color:light-dark(#14212a,#e8eef1)}
a{color:light-dark(#0f766e,#4fd1c1)}
body{margin:0 auto;max-width:60rem;padding:1rem}
h2{font:600 1rem ui-monospace,monospace;margin:2rem 0 .3rem;overflow-wrap:anywhere}
pre{overflow:auto;padding:.75rem;border:1px solid light-dark(#dde2e5,#313b42);border-radius:8px;font-size:.85rem}`;

/**
 * `GET /openapi.json`, from the schemas of the routes, and `GET /docs`, the same as a page. Call it before
 * the routes are added. A route that needs a bearer token names the security scheme `bearer`.
 */
export async function installDocs(app: FastifyInstance, { title, description }: Title): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: "3.1.0",
			info: { title, description, version: "1" },
			components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
		},
	});
	app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
	const hash = createHash("sha256").update(style).digest("base64");
	const policy = `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`;
	app.get("/docs", { schema: { hide: true } }, (_request, reply) =>
		reply
			.type("text/html; charset=utf-8")
			.header("content-security-policy", policy)
			.send(printPage({ title, description }, app.swagger() as Document)),
	);
}

function printPage({ title, description }: Title, { paths = {} }: Document): string {
	const sections = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) =>
			printOperation(`${method.toUpperCase()} ${path}`, operation),
		),
	);
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(title)}</title><style>${style}</style></head><body><main><h1>${safe(title)}</h1>
<p>${safe(description)} Also as <a href="/openapi.json">OpenAPI</a>.</p>
${sections.join("\n")}</main></body></html>`;
}

function printOperation(line: string, { summary = "", description = "", requestBody }: Operation): string {
	const schema = requestBody?.content?.["application/json"]?.schema;
	const body = schema === undefined ? "" : `<pre tabindex="0">${safe(JSON.stringify(schema, null, 2))}</pre>`;
	return `<section><h2>${safe(line)}</h2><p>${safe(`${summary} ${description}`.trim())}</p>${body}</section>`;
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const safe = (text: string) => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? "");
