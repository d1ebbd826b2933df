import { createHash } from "node:crypto";

const style = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1rem/1.5 system-ui,sans-serif;
background:#f6f6f4;color:#12211f}main{max-width:32rem;padding:2rem;border-top:4px solid #0f4a47}h1{font-size:1.4rem}code{overflow-wrap:anywhere}a{color:inherit}
button{font:inherit;min-height:44px;padding:0 1.5rem;border:0;border-radius:.5rem;background:#0f4a47;color:#fff;cursor:pointer}
@media(prefers-color-scheme:dark){body{background:#0c1312;color:#e8ecea}main{border-color:#e3b15a}button{background:#e3b15a;color:#12211f}}`;

const styleHash = createHash("sha256").update(style).digest("base64");
const escapes: Record<string, string> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Escapes text for HTML, also within quotes. */
export const safe = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "");

/** A page of the sign-on service itself, for errors outside the pages of an application. `body` is HTML. */
export function smallPage(title: string, body: string): string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(title)}</title><style>${style}</style></head><body><main><h1>${safe(title)}</h1>${body}</main></body></html>`;
}

/**
 * Content security policy: no external content, no framing, no scripts, and forms only to the given
 * address.
 */
export const pagePolicy = ({ formAction = "'none'" }: { formAction?: string } = {}) =>
	`default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`;
