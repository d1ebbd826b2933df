import { createHash } from "node:crypto";

const style = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1rem/1.5 system-ui,sans-serif;
background:#fbfaf6;color:#1f2421}main{max-width:32rem;padding:2rem}h1{font-size:1.4rem}code{overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{background:#161a18;color:#e9e7e0}}`;

const escapes: Record<string, string> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};
export const safe = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "");

/** No scripts, no framing, nothing from elsewhere. */
export const errorPagePolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** What a person sees when a request cannot be sent back to the front end it came from. */
export function errorPage({
	code,
	message,
	requestId,
}: {
	code: string;
	message: string;
	requestId: string;
}): string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign-in could not start</title><style>${style}</style></head><body><main><h1>Sign-in could not start</h1>
<p>${safe(message)}</p><p>Go back to the page you came from and try again. If it happens again, tell whoever runs that page
the code <code>${safe(code)}</code> and the number <code>${safe(requestId)}</code>.</p></main></body></html>`;
}
