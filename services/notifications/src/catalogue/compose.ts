import type { Channel, Locale } from "../channel.ts";
import type { ContentSource, TemplateSource } from "../rendering/compile-template.ts";
import { linkOf, type Values, type Variable, type VariableKind } from "../template.ts";

/** The texts of a template in one language; Liquid. */
export type Texts = {
	/** The subject and the heading of the e-mail, and the title of short messages. */
	title: string;
	/** Paragraphs of the e-mail before the facts. */
	lead: readonly string[];
	/** Rows of a table: a label, and what it is about. */
	facts?: ReadonlyArray<readonly [label: string, value: string]>;
	/** A code, shown large. */
	code?: string;
	/** More MJML between the facts and the button. */
	more?: string;
	/** The label of the button, which leads to the template's link. */
	button?: string;
	/** Small print below the button. */
	notes?: readonly string[];
	/** SMS, WhatsApp, push and inbox. The link is added where it cannot be tapped. */
	short?: string;
};

type Definition = Omit<TemplateSource, "contents"> & {
	channels: readonly Channel[];
	texts: Readonly<Record<Locale, Texts>>;
};

/** Writes the contents of a template on its channels in both languages. */
export function composeTemplate({ channels, texts, ...template }: Definition): TemplateSource {
	const link = linkOf(template)?.name;
	const contents = channels.flatMap((channel) =>
		Object.entries(texts).map(([locale, text]) => ({
			channel,
			locale,
			...composers[channel](text, link),
			...(channel === "whatsapp" && { whatsappName: template.path.replace("/", "_") }),
		})),
	);
	return { ...template, contents };
}

type Composed = Pick<ContentSource, "subject" | "source">;

const composers: Readonly<Record<Channel, (texts: Texts, link: string | undefined) => Composed>> = {
	email: (texts, link) => ({ subject: texts.title, source: composeEmail(texts, link) }),
	sms: (texts, link) => ({ source: `{{ tenant.name }}: ${withLink(texts, link, " ")}` }),
	whatsapp: (texts, link) => ({ source: withLink(texts, link, "\n") }),
	push: (texts) => ({ subject: texts.title, source: shortOf(texts) }),
	in_app: (texts) => ({ subject: texts.title, source: shortOf(texts) }),
};

const shortOf = ({ short, title }: Texts): string => short ?? title;

const withLink = (texts: Texts, link: string | undefined, separator: string): string =>
	link === undefined ? shortOf(texts) : `${shortOf(texts)}${separator}{{ ${link} }}`;

const composeEmail = (texts: Texts, link: string | undefined): string =>
	[
		`<mj-text mj-class="heading">${texts.title}</mj-text>`,
		...texts.lead.map((line) => `<mj-text>${line}</mj-text>`),
		...(texts.facts === undefined ? [] : [composeFacts(texts.facts)]),
		...(texts.code === undefined ? [] : [`<mj-text mj-class="code">${texts.code}</mj-text>`]),
		...(texts.more === undefined ? [] : [texts.more]),
		...(texts.button === undefined || link === undefined
			? []
			: [`<mj-button href="{{ ${link} }}">${texts.button}</mj-button>`]),
		...(texts.notes ?? []).map((line) => `<mj-text mj-class="small">${line}</mj-text>`),
	].join("\n");

const composeFacts = (facts: NonNullable<Texts["facts"]>): string =>
	[
		"<mj-table>",
		...facts.map(([label, value]) => `<tr><th>${label}</th><td>${value}</td></tr>`),
		"</mj-table>",
	].join("\n");

/** Declares variables by their names; a name without a kind is a text: `"name expires_at:date link:link"`. */
export const variables = (names: string): readonly Variable[] =>
	names.split(" ").map((each) => {
		const [name = "", kind = "text"] = each.split(":");
		return { name, kind: kind as VariableKind };
	});

/** Samples that several templates share. */
export const person: Values = { name: "Amina Odhiambo" };
