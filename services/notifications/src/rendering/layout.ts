import type { Category } from "../template.ts";
import { canUnsubscribe } from "../template.ts";
import { listTokens } from "./liquid/liquid.ts";

/**
 * The platform's layout of e-mails: the tenant's logo or name above, what the author wrote on a card, and a
 * footer that names the tenant. The author's part cannot reach the rest (`check-source.ts`, `check-html.ts`).
 */

/** Stand for the tenant's colours until the page is compiled, because MJML accepts only colours. */
const colourMark = "#c0ffee";
const onColourMark = "#facade";

const fonts = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** The texts of the footer. A locale without its own has the English ones. */
const footers: Readonly<Record<string, { sentBy: string; because: string; unsubscribe: string }>> = {
	en: {
		sentBy: "This message was sent by {{ tenant.name }}.",
		because: "You receive it because you use its services.",
		unsubscribe: "Unsubscribe from messages of this kind",
	},
	sw: {
		sentBy: "Ujumbe huu umetumwa na {{ tenant.name }}.",
		because: "Umeupokea kwa sababu unatumia huduma zake.",
		unsubscribe: "Jiondoe kwenye ujumbe wa aina hii",
	},
};

const style = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
.text a { color: #0f5552; }
@media (prefers-color-scheme: dark) {
	.page, .page > div, .outer, .outer > table { background: #0c1514 !important; }
	.card, .card > table, .card td, .card div { background: #121e1c !important; }
	.card .button table td, .card .button a { background: {{ layout.colour }} !important; }
	.card .button table td { border: 1px solid #6b7f78 !important; }
	.text div, .text td, .text p, .text li, .head span { color: #e8eee9 !important; }
	.small div, .text .host, .text th, .quiet div { color: #a3b4ad !important; }
	.facts th, .facts td { border-color: #24322f !important; }
	.text a, .quiet a { color: #8fd0c3 !important; }
}
`;

/** Written into the elements, because some clients read no styles in the head. */
const inlineStyle = `
.facts th { text-align: left; font-weight: normal; color: #4f5f5a; padding: 8px 16px 8px 0; width: 40%; vertical-align: top; word-break: normal; border-bottom: 1px solid #dde2dc; }
.facts td { text-align: left; padding: 8px 0; vertical-align: top; border-bottom: 1px solid #dde2dc; word-break: break-word; }
.quiet a { color: #4f5f5a; }
.host div { word-break: break-all; }
span.host { font-size: 14px; line-height: 20px; color: #4f5f5a; word-break: break-word; }
`;

const head = `<mj-head>
<mj-raw><meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" /></mj-raw>
<mj-attributes>
<mj-all font-family="${fonts}" />
<mj-section background-color="#ffffff" padding="0" css-class="card" />
<mj-text font-size="16px" line-height="24px" color="#14211f" padding="0 24px 16px" css-class="text" />
<mj-table font-size="16px" line-height="24px" color="#14211f" padding="0 24px 16px" css-class="text facts" />
<mj-button align="left" background-color="${colourMark}" color="${onColourMark}" border-radius="6px" font-size="16px" font-weight="600" inner-padding="12px 24px" padding="8px 24px 6px" css-class="button" />
<mj-divider border-width="1px" border-color="#dde2dc" padding="0 24px 16px" />
<mj-image padding="0 24px 16px" align="left" />
<mj-class name="heading" font-size="22px" line-height="30px" font-weight="600" padding="0 24px 12px" />
<mj-class name="small" css-class="text small" font-size="14px" line-height="20px" color="#4f5f5a" />
<mj-class name="host" css-class="text small host" font-size="14px" line-height="20px" color="#4f5f5a" />
<mj-class name="code" font-size="30px" line-height="40px" font-weight="600" letter-spacing="4px" />
</mj-attributes>
<mj-style inline="inline">${inlineStyle}</mj-style>
</mj-head>`;

const top = `<mj-section background-color="#f6f7f4" padding="32px 8px 16px" css-class="outer"><mj-column>
<mj-text font-size="18px" line-height="24px" font-weight="600" padding="0 24px" css-class="head">{% if layout.logo_url != "" %}<img src="{{ layout.logo_url }}" alt="{{ tenant.name }}" height="40" style="display: block; height: 40px; max-width: 240px; border: 0" />{% else %}<span>{{ tenant.name }}</span>{% endif %}</mj-text>
</mj-column></mj-section>
<mj-wrapper padding="0 8px" css-class="outer"><mj-section border-radius="12px 12px 0 0" padding="16px 0 0"><mj-column><mj-spacer height="8px" /></mj-column></mj-section>`;

const bottom = ({ locale, category }: Place): string => {
	const { sentBy, because, unsubscribe } = footers[locale.split("-")[0] ?? ""] ?? footers["en"] ?? missing();
	const link = `{% if layout.unsubscribe_url != "" %}<br /><a href="{{ layout.unsubscribe_url }}">${unsubscribe}</a>{% endif %}`;
	return `<mj-section border-radius="0 0 12px 12px" padding="0 0 8px"><mj-column><mj-spacer height="8px" /></mj-column></mj-section></mj-wrapper>
<mj-section background-color="#f6f7f4" padding="16px 8px 32px" css-class="outer"><mj-column>
<mj-text font-size="13px" line-height="20px" color="#4f5f5a" padding="0 24px" css-class="quiet">${sentBy} ${because}${canUnsubscribe(category) ? link : ""}</mj-text>
</mj-column></mj-section>`;
};

type Place = { locale: string; category: Category };

/** Puts the author's body into the layout and returns a whole MJML document. */
export function wrapBody(body: string, place: Place): string {
	const sections = /^\s*<mj-section\b/.test(body)
		? body
		: `<mj-section><mj-column>${body}</mj-column></mj-section>`;
	return `<mjml lang="${place.locale}">${head}<mj-body width="600px" background-color="#f6f7f4" css-class="page">${top}
${sections}
${bottom(place)}</mj-body></mjml>`;
}

/** The tags and outputs that a compiled page must have, in this order: nothing was dropped or moved. */
export const expectedTokens = (body: string, place: Place): readonly string[] =>
	[top, body, bottom(place)].flatMap(listTokens);

/** Completes a compiled page with what MJML does not accept: the title, the colours, the styles of themes. */
export const finishPage = (html: string): string =>
	html
		.replaceAll(/\n\s+/g, "\n")
		.replace(/<title>[^<]*<\/title>/, "<title>{{ layout.subject }}</title>")
		.replace("</head>", `<style type="text/css">${style}</style></head>`)
		.replaceAll(colourMark, "{{ layout.colour }}")
		.replaceAll(onColourMark, "{{ layout.on_colour }}");

/** Everything that the layout adds: the platform's templates are compiled again when it changes. */
export const layoutSource: readonly string[] = [
	...Object.keys(footers).flatMap((locale) =>
		(["general", "security"] as const).map((category) => wrapBody("", { locale, category })),
	),
	finishPage(`<title></title></head>${colourMark}${onColourMark}`),
];

function missing(): never {
	throw new Error("The layout has no English footer");
}
