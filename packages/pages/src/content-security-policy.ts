import { createHash } from "node:crypto";

export type InlineHashes = { scripts: readonly string[]; styles: readonly string[] };

// Read from left to right: a script inside a comment is part of the comment.
const comment = /<!--[\s\S]*?-->/;
const inlineElement =
	/<(?<element>script|style)\b(?<attributes>[^>]*)>(?<content>[\s\S]*?)<\/\k<element>\s*>/;
const commentOrElement = new RegExp(`${comment.source}|${inlineElement.source}`, "gi");
const hasSource = /\ssrc\s*=/i;

/** Returns the hashes (CSP level 3, `sha256-…`) of the inline scripts and styles of an HTML document. */
export function inlineHashes(html: string): InlineHashes {
	const scripts: string[] = [];
	const styles: string[] = [];
	// Browsers hash the parsed text, and the parser turns CRLF and CR into LF.
	for (const { groups } of html.replaceAll(/\r\n?/g, "\n").matchAll(commentOrElement)) {
		const { element, attributes, content } = groups ?? {};
		if (element === undefined || content === undefined || hasSource.test(attributes ?? "")) continue;
		(element.toLowerCase() === "script" ? scripts : styles).push(hashOf(content));
	}
	return { scripts, styles };
}

/**
 * Builds the Content-Security-Policy of a page. It allows the page's own files, its inline scripts and styles
 * by hash, requests to the given origins, images from these origins or over https (tenant logos), and a frame
 * for previews (preview-frame.ts).
 */
export function contentSecurityPolicy(origins: readonly string[], inline: InlineHashes): string {
	const directives: ReadonlyArray<readonly [name: string, ...sources: string[]]> = [
		["default-src", "'none'"],
		["script-src", "'self'", ...inline.scripts],
		["style-src", "'self'", ...inline.styles],
		["img-src", "'self'", "data:", "https:", ...origins],
		["font-src", "'self'"],
		["connect-src", "'self'", ...origins],
		["manifest-src", "'self'"],
		["frame-src", "'self'"],
		["base-uri", "'none'"],
		["form-action", "'self'"],
		["frame-ancestors", "'none'"],
	];
	return directives.map((directive) => directive.join(" ")).join("; ");
}

/** Parses an origin such as "https://auth.example". Throws an Error that names an invalid address. */
export function toOrigin(address: string): string {
	const url = URL.parse(address);
	if (url === null || !["http:", "https:"].includes(url.protocol)) {
		throw new Error(`connect: "${address}" is not an http or https address.`);
	}
	return url.origin;
}

function hashOf(content: string): string {
	return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}
