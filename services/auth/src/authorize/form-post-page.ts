import { createHash } from "node:crypto";
import { safe } from "../pages/small-page.ts";

const script = "document.forms[0].submit()";
const scriptHash = createHash("sha256").update(script).digest("base64");

/** A page that posts the answer to the client by itself, with a button for browsers without scripts. */
export function formPostPage(postTo: string, members: Record<string, string>): string {
	const fields = Object.entries(members).map(
		([name, value]) => `<input type="hidden" name="${safe(name)}" value="${safe(value)}">`,
	);
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signing in</title></head><body>
<form method="post" action="${safe(postTo)}">${fields.join("")}<noscript><button>Continue</button></noscript></form>
<script>${script}</script></body></html>`;
}

/** The one script of the page, and the one place its form may go. */
export const formPostPolicy = (postTo: string) =>
	`default-src 'none'; script-src 'sha256-${scriptHash}'; form-action ${new URL(postTo).origin}; frame-ancestors 'none'; base-uri 'none'`;
