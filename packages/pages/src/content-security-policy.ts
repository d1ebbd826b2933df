import { createHash } from "node:crypto";

export type InlineHashes = { scripts: readonly string[]; styles: readonly string[] };

// Read from left to right, so that a script named inside a comment is part of the comment and nothing more.
const comment = /<!--[\s\S]*?-->/;
const inlineElement =
	/<(?<element>script|style)\b(?<attributes>[^>]*)>(?<content>[\s\S]*?)<\/\k<element>\s*>/;
const commentOrElement = new RegExp(`${comment.source}|${inlineElement.source}`, "gi");
const hasSource = /\ssrc\s*=/i;

/** The hashes (CSP level 3, `sha256-…`) of the scripts and styles that stand inside an HTML text. */
export function inlineHashes(html: string): InlineHashes {
	const scripts: string[] = [];
	const styles: string[] = [];
	// A browser hashes what its parser has seen, and the parser turns CRLF and CR into LF.
	for (const { groups } of html.replaceAll(/\r\n?/g, "\n").matchAll(commentOrElement)) {
		const { element, attributes, content } = groups ?? {};
		if (element === undefined || content === undefined || hasSource.test(attributes ?? "")) continue;
		(element.toLowerCase() === "script" ? scripts : styles).push(hashOf(content));
	}
	return { scripts, styles };
}

/**
 * The Content-Security-Policy of one page: nothing but the page's own files, its own inline scripts and
 * styles by hash, and calls to the given origins. Pictures may come from those origins or over https (tenant logos).
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
		["base-uri", "'none'"],
		["form-action", "'self'"],
		["frame-ancestors", "'none'"],
	];
	return directives.map((directive) => directive.join(" ")).join("; ");
}

/** Reads an origin such as "https://auth.example" from a setting; throws an Error that names what is wrong. */
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
