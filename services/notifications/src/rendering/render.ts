import type { Channel } from "../channel.ts";
import {
	canUnsubscribe,
	contentFor,
	linkOf,
	type TemplateContent,
	type TemplateVersion,
	type Values,
	type Variable,
} from "../template.ts";
import { type Branding, logoOf, readableColours } from "./branding.ts";
import { toText } from "./liquid/filters.ts";
import { type Formats, readMoment } from "./liquid/formats.ts";
import { type ParsedLiquid, parseLiquid, renderLiquid } from "./liquid/liquid.ts";
import type { Rendered } from "./rendered.ts";
import { countSegments } from "./segments.ts";
import { cleanLine, cleanText } from "./text.ts";

/** A message for one recipient before it is rendered. Addresses are normalised (`addresses/address.ts`). */
export type Message = {
	template: TemplateVersion;
	channel: Channel;
	/** The language asked for. A template without it is rendered in English. */
	locale: string;
	/** Values that `checkData` accepted, and those the service fetched. */
	values: Values;
	formats: Omit<Formats, "locale">;
	branding: Branding;
	to: string;
	from: { name: string; address: string };
	replyTo?: string;
	metadata?: { subject?: string; push_title?: string };
	/** Ignored if the category cannot be unsubscribed. */
	unsubscribeUrl?: string;
};

/** Texts of providers are limited: a longer one is cut. */
const shortLengthMax = 1_600;
const bodyLengthMax = 1_000;

/**
 * Renders a message. Synchronous; a content is parsed once, as long as its object lives. Throws if the
 * template has no content for the channel, if a value is missing, or at the limits of the language.
 */
export function renderMessage(message: Message): Rendered {
	const { template, channel, locale } = message;
	const content = contentFor(template, channel, [locale]);
	if (content === undefined) throw new Error(`The template ${template.path} has no content for ${channel}`);
	return renderers[channel]({ ...message, content, show: painterOf(message, content) });
}

type Show = (part: "subject" | "html" | "text") => string;
type Job = Message & { content: TemplateContent; show: Show };

const renderers: Readonly<Record<Channel, (job: Job) => Rendered>> = {
	email: ({ to, from, replyTo, metadata, show, template, unsubscribeUrl }) => ({
		channel: "email",
		from: { name: cleanLine(from.name), address: from.address },
		to,
		...(replyTo !== undefined && { replyTo }),
		subject: cleanLine(metadata?.subject ?? show("subject")),
		html: show("html"),
		text: show("text"),
		...(unsubscribeUrl !== undefined && canUnsubscribe(template.category) && { unsubscribeUrl }),
	}),
	sms: ({ to, show }) => {
		const text = cut(show("text"), shortLengthMax);
		return { channel: "sms", to, text, segments: countSegments(text) };
	},
	whatsapp: ({ to, content, show, ...message }) => ({
		channel: "whatsapp",
		to,
		text: cut(show("text"), shortLengthMax),
		...(content.whatsappName !== undefined && {
			template: {
				name: content.whatsappName,
				locale: content.locale,
				values: parametersOf(message, content),
			},
		}),
	}),
	push: (job) => ({ channel: "push", to: job.to, ...noteOf(job, job.metadata?.push_title) }),
	in_app: (job) => ({ channel: "in_app", to: job.to, ...noteOf(job, undefined) }),
};

/** Title, body and link of a push notification or an item of the inbox. */
function noteOf({ show, template, values }: Job, title: string | undefined) {
	const name = linkOf(template)?.name;
	const link = name === undefined ? undefined : values[name];
	return {
		title: cleanLine(title ?? show("subject")),
		body: cut(show("text"), bodyLengthMax),
		...(typeof link === "string" && { link }),
	};
}

const cut = (text: string, max: number): string => {
	const trimmed = text.trim();
	return trimmed.length > max ? `${trimmed.slice(0, max - 1).toWellFormed()}…` : trimmed;
};

/** The parameters of an approved template: every variable in its order, each one line. */
function parametersOf(
	{ template, values, formats }: Omit<Job, "to" | "content" | "show">,
	content: TemplateContent,
) {
	const { locale } = content;
	return template.variables.map((variable) =>
		cleanLine(toText(prepareValue(variable, values[variable.name]), { ...formats, locale })),
	);
}

type Parts = Readonly<Partial<Record<"subject" | "html" | "text", ParsedLiquid>>>;
const parsed = new WeakMap<TemplateContent, Parts>();

function partsOf(content: TemplateContent): Parts {
	const known = parsed.get(content);
	if (known !== undefined) return known;
	const parts = {
		text: parseLiquid(content.text, "text"),
		...(content.subject !== undefined && { subject: parseLiquid(content.subject, "text") }),
		...(content.html !== undefined && { html: parseLiquid(content.html, "html") }),
	};
	parsed.set(content, parts);
	return parts;
}

/** Returns a function that renders a part of the content with the values of the message. */
function painterOf(
	{ template, values, formats, branding, unsubscribeUrl, metadata }: Message,
	content: TemplateContent,
): Show {
	const parts = partsOf(content);
	const context = { ...formats, locale: content.locale };
	const scope: Record<string, unknown> = Object.create(null);
	for (const variable of template.variables) {
		const value = prepareValue(variable, values[variable.name]);
		if (value !== undefined) scope[variable.name] = value;
	}
	scope["tenant"] = { name: cleanLine(branding.tenantName) };
	const show: Show = (part) => {
		const template = parts[part];
		return template === undefined ? "" : renderLiquid(template, scope, context);
	};
	if (content.channel === "email") {
		const { background, text } = readableColours(branding.colour);
		scope["layout"] = {
			subject: cleanLine(metadata?.subject ?? show("subject")),
			logo_url: logoOf(branding),
			colour: background,
			on_colour: text,
			unsubscribe_url: unsubscribeUrl ?? "",
		};
	}
	return show;
}

/** Cleans a text and reads a date. Everything else stays as it is. */
function prepareValue({ kind, members = [] }: Pick<Variable, "kind" | "members">, value: unknown): unknown {
	if (Array.isArray(value))
		return value.map((item: Values) =>
			Object.fromEntries(members.map((member) => [member.name, prepareValue(member, item[member.name])])),
		);
	// Numbers of a text, such as those of a ticket, have no separators.
	if (typeof value === "number") return kind === "number" ? value : String(value);
	if (typeof value !== "string") return undefined;
	return (kind === "date" ? readMoment(value) : undefined) ?? cleanText(value);
}
