import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { contentSecurityPolicy, inlineHashes } from "./content-security-policy.ts";

/** An HTML file, also compressed, with the headers that belong to it. */
export type Page = {
	html: string;
	compressed: Readonly<Record<Coding, Buffer>>;
	etag: string;
	policy: string;
};

/** The content codings, the best one first. */
const codings = ["br", "gzip"] as const;
type Coding = (typeof codings)[number];

/** The best coding that a request accepts (RFC 9110 §12.5.3), if any. A weight of 0 refuses a coding. */
export function codingFor(accepted: string | string[] | undefined): Coding | undefined {
	const offered = [accepted ?? []].flat().join(",").split(",");
	return codings.find((coding) =>
		offered.some((one) => new RegExp(`^\\s*${coding}\\s*(;\\s*q=(?!0(\\.0*)?\\s*$).*)?$`, "i").test(one)),
	);
}

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
	// Weak, because a page has the same one in every coding (RFC 9110 §8.8.3.3).
	const etag = `W/"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`;
	const compressed = { br: brotliCompressSync(html), gzip: gzipSync(html) };
	return { html, compressed, etag, policy: contentSecurityPolicy(origins, inlineHashes(html)) };
}
