import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";

const types: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
};
const policy =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the pages of all sandboxes use: `/theme.css` and `/element.js`. */
const sharedFolder = join(import.meta.dirname, "page");

/** Serves the files of a folder at `/`, `index.html` first, and those that all sandboxes use. */
export function installPage(app: FastifyInstance, folder: string): void {
	for (const from of [sharedFolder, folder])
		for (const name of readdirSync(from))
			app.get(name === "index.html" ? "/" : `/${name}`, { schema: { hide: true } }, (_request, reply) =>
				reply
					.type(types[extname(name)] ?? "application/octet-stream")
					.headers({ "content-security-policy": policy, "cache-control": "no-cache" })
					.send(readFileSync(join(from, name))),
			);
}
