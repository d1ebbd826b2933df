import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { contentSecurityPolicy, inlineHashes } from "./content-security-policy.ts";

/** An HTML file with the headers that belong to it. */
export type Page = { html: string; etag: string; policy: string };

/**
 * Returns a function that reads an HTML file and caches it until the file changes, so that a new build is
 * served without a restart. The function throws if the file does not exist.
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

/**
 * Whether a path is a page address: its last segment has no dot. /login and /auth/callback are, /assets/x.js
 * and /logo.svg are not.
 */
export function isPageAddress(path: string): boolean {
	if (path === "/assets" || path.startsWith("/assets/")) return false;
	return !path.slice(path.lastIndexOf("/") + 1).includes(".") || path === "/index.html";
}

function toPage(html: string, origins: readonly string[]): Page {
	const etag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`;
	return { html, etag, policy: contentSecurityPolicy(origins, inlineHashes(html)) };
}
