import type { FastifyReply } from "fastify";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** HTML that is not escaped again. */
export type Html = { html: string };

/** HTML whose values are escaped, except what is `Html` already; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
	return { html: String.raw({ raw: parts }, ...values.map(render)) };
}

function render(value: unknown): string {
	if (value === null || value === undefined || value === false) return "";
	if (Array.isArray(value)) return value.map(render).join("");
	if (typeof value === "object" && "html" in value) return String(value.html);
	return String(value).replaceAll(/[&<>"]/g, (character) => escapes[character] ?? "");
}

/** Forms lead to any address, because the merchant's page follows the payment. */
const policy =
	"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Sends a page of the checkout. */
export function sendPage(reply: FastifyReply, { title, content }: { title: string; content: Html }) {
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/theme.css">
<link rel="stylesheet" href="/checkout.css">
</head>
<body class="checkout">
<main>${content}</main>
</body>
</html>
`;
	return reply
		.type("text/html; charset=utf-8")
		.headers({
			"content-security-policy": policy,
			"cache-control": "no-store",
			"referrer-policy": "no-referrer",
		})
		.send(page.html);
}

/** `10000`, `KES` → `KES 100.00`. */
export const printAmount = (amount: number, currency: string): string =>
	`${currency} ${(amount / 100).toLocaleString("en", { minimumFractionDigits: 2 })}`;
