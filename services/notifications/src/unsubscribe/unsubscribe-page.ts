import { createHash } from "node:crypto";
import { type Locale, locales } from "../channel.ts";
import type { Category } from "../template.ts";

type Texts = {
	title: string;
	ask: (tenant: string, kind: string) => string;
	button: string;
	done: (tenant: string, kind: string) => string;
	kinds: Partial<Record<Category, string>>;
};

const texts: Readonly<Record<Locale, Texts>> = {
	en: {
		title: "Unsubscribe",
		ask: (tenant, kind) => `Do you want no more e-mails of ${tenant} of this kind: ${kind}?`,
		button: "Unsubscribe",
		done: (tenant, kind) => `You get no more e-mails of ${tenant} of this kind: ${kind}.`,
		kinds: { reports: "reports", general: "general messages", digest: "summaries" },
	},
	sw: {
		title: "Jiondoe",
		ask: (tenant, kind) => `Hutaki tena barua pepe za ${tenant} za aina hii: ${kind}?`,
		button: "Jiondoe",
		done: (tenant, kind) => `Hutapokea tena barua pepe za ${tenant} za aina hii: ${kind}.`,
		kinds: { reports: "ripoti", general: "ujumbe wa jumla", digest: "muhtasari" },
	},
};

const style =
	":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.75rem 1.5rem}";

/** The policy of the page: nothing but its style and its form. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const entities: Readonly<Record<string, string>> = {
	...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" },
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");

type Shown = { tenantName: string; category: Category; locale: string; isDone: boolean };

/** Returns the page in the recipient's language: with a button, or without one when it is done. */
export function unsubscribePage({ tenantName, category, locale, isDone }: Shown): string {
	const language = locales.find((one) => locale === one || locale.startsWith(`${one}-`)) ?? locales[0];
	const { title, ask, done, button, kinds } = texts[language];
	const [tenant, kind] = [escapeHtml(tenantName), kinds[category] ?? category];
	const form = `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${button}</button></form>`;
	return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head><body><h1>${title}</h1><p>${(isDone ? done : ask)(tenant, kind)}</p>${isDone ? "" : form}</body></html>`;
}
