import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { contentSecurityPolicy, inlineHashes } from "./content-security-policy.ts";

/** One HTML file as it is served. */
export type Page = { html: string; etag: string; policy: string };

/**
 * Returns a reader of one HTML file that reads it again only when the file has changed, so that a new build
 * is served without a restart. The reader throws when the file is gone.
 */
export function pageReader(file: string, origins: readonly string[]): () => Promise<Page> {
	let known: { page: Page; version: string } | undefined;
	return async () => {
		const { mtimeMs, size } = await stat(file);
		const version = `${mtimeMs}-${size}`;
		if (known?.version !== version) known = { version, page: toPage(await readFile(file, "utf8"), origins) };
		return known.page;
	};
}

/** The last segment of a page's address has no dot: /login and /auth/callback, but not /assets/x.js or /logo.svg. */
export function isPageAddress(path: string): boolean {
	if (path === "/assets" || path.startsWith("/assets/")) return false;
	return !path.slice(path.lastIndexOf("/") + 1).includes(".") || path === "/index.html";
}

function toPage(html: string, origins: readonly string[]): Page {
	const etag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`;
	return { html, etag, policy: contentSecurityPolicy(origins, inlineHashes(html)) };
}
