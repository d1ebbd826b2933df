/**
 * The shapes of templates and their pure rules. The file is directly in `src/`, below `templates/` and
 * `rendering/`, because both use it and `templates/` also imports `rendering/`.
 */
import type { Channel } from "./channel.ts";

/** Groups of templates for preferences. Tenants and people cannot add any. */
export const categories = [
	"security",
	"credentials",
	"billing",
	"operations",
	"approvals",
	"contact",
	"reports",
	"general",
	"digest",
] as const;
export type Category = (typeof categories)[number];

const critical: ReadonlySet<Category> = new Set(["security", "credentials"]);
const unsubscribable: ReadonlySet<Category> = new Set(["reports", "general", "digest"]);

/** The categories to which preferences and unsubscribing do not apply. */
export const criticalCategories: readonly Category[] = categories.filter((category) =>
	critical.has(category),
);

/** Preferences and unsubscribing do not apply to a critical category. */
export const isCritical = (category: Category): boolean => critical.has(category);

/** E-mails of these categories have a link to unsubscribe (RFC 8058). */
export const canUnsubscribe = (category: Category): boolean => unsubscribable.has(category);

export const variableKinds = ["text", "number", "date", "link", "secret", "list"] as const;
export type VariableKind = (typeof variableKinds)[number];

/** A variable of a template. All variables are required. */
export type Variable = {
	name: string;
	kind: VariableKind;
	/** The members of each item, only for lists. */
	members?: readonly Variable[];
	/** The service adds the value when it sends the message. A caller cannot set it. */
	isFetched?: true;
};

/** What a template says on one channel in one language, compiled. */
export type TemplateContent = {
	channel: Channel;
	locale: string;
	/** Subject of an e-mail, title of a push notification or of an item of the inbox; Liquid. */
	subject?: string;
	/** What the author wrote: MJML for e-mail, else the same as `text`. */
	source: string;
	/** The compiled page of an e-mail, in the platform's layout; Liquid. */
	html?: string;
	/** The text of the message, or the text part of an e-mail; Liquid. */
	text: string;
	/** The template that the vendor of WhatsApp approved. Its parameters are the variables in their order. */
	whatsappName?: string;
};

/** A published version of a template. Immutable: the renderer caches by the identity of its contents. */
export type TemplateVersion = {
	path: string;
	category: Category;
	variables: readonly Variable[];
	contents: readonly TemplateContent[];
};

/** Values of variables as a caller sent them: JSON. */
export type Values = Readonly<Record<string, unknown>>;

export type DataProblem = {
	field: `data.${string}`;
	code: "variable_missing" | "variable_invalid";
	message: string;
};

/** How many items a list can have. */
export const listItemsMax = 50;
const linkLengthMax = 2_048;

/**
 * Checks the values of a message against the variables of its template and returns them without undeclared
 * members. A link must be absolute https; `allowHttp` also permits http, outside of production.
 */
export function checkData(
	variables: readonly Variable[],
	data: Values,
	{ allowHttp = false }: { allowHttp?: boolean } = {},
): { ok: Values } | { problems: readonly DataProblem[] } {
	const callers = variables.filter(({ isFetched }) => isFetched !== true);
	const problems = callers.flatMap((variable) => findProblem(variable, data, allowHttp) ?? []);
	if (problems.length > 0) return { problems };
	return { ok: pick(callers, data) };
}

function findProblem(variable: Variable, data: Values, allowHttp: boolean): DataProblem | undefined {
	const value = ownValue(data, variable.name);
	if (value === undefined || value === null)
		return {
			field: `data.${variable.name}`,
			code: "variable_missing",
			message: `The variable ${variable.name} is required.`,
		};
	const reason = variable.kind === "list" ? findListReason(variable, value, allowHttp) : undefined;
	if (reason === undefined && accepts[variable.kind](value, allowHttp)) return undefined;
	return {
		field: `data.${variable.name}`,
		code: "variable_invalid",
		message: `The variable ${variable.name} must be ${reason ?? wanted[variable.kind]}.`,
	};
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === "string";

const accepts: Readonly<Record<VariableKind, (value: unknown, allowHttp: boolean) => boolean>> = {
	text: (value) => isText(value) || isNumber(value),
	secret: (value) => (isText(value) && value !== "") || isNumber(value),
	number: (value) => isText(value) || isNumber(value),
	date: isText,
	link: (value, allowHttp) => isText(value) && isLink(value, allowHttp),
	list: (value) => Array.isArray(value) && value.length <= listItemsMax,
};

const wanted: Readonly<Record<VariableKind, string>> = {
	text: "a text",
	secret: "a text that is not empty",
	number: "a number or a text",
	date: "a date of RFC 3339 or a text",
	link: "an absolute https address",
	list: `a list of at most ${listItemsMax} objects`,
};

/** Returns what an invalid list must be; undefined if its items have all members of the right kinds. */
function findListReason({ members = [] }: Variable, value: unknown, allowHttp: boolean): string | undefined {
	if (!Array.isArray(value)) return undefined;
	for (const item of value) {
		if (!isRecord(item)) return wanted.list;
		const problem = members.map((member) => findProblem(member, item, allowHttp)).find(Boolean);
		if (problem !== undefined)
			return `${wanted.list} with the members ${members.map(({ name }) => name).join(", ")}`;
	}
	return undefined;
}

/**
 * Whether a text is an absolute address without a user name, spaces, quotes, control characters or marks that
 * reverse what follows.
 */
export function isLink(text: string, allowHttp: boolean): boolean {
	if (
		text.length > linkLengthMax ||
		/[\s"'<>`{}\\\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text) ||
		!URL.canParse(text)
	)
		return false;
	const { protocol, username, password, hostname } = new URL(text);
	const isProtocolAllowed = protocol === "https:" || (allowHttp && protocol === "http:");
	return isProtocolAllowed && username === "" && password === "" && hostname !== "";
}

const isRecord = (value: unknown): value is Values =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const ownValue = (data: Values, name: string): unknown =>
	Object.hasOwn(data, name) ? data[name] : undefined;

/** Copies the declared members. */
function pick(variables: readonly Variable[], data: Values): Values {
	return Object.fromEntries(
		variables.map(({ name, members }) => {
			const value = ownValue(data, name);
			const isList = members !== undefined && Array.isArray(value);
			return [name, isList ? value.filter(isRecord).map((item) => pick(members, item)) : value];
		}),
	);
}

/** The locale that every template has. */
const lastLocale = "en";

/**
 * Finds the content for a channel in the first of these locales that the template has. `en-KE` falls back to
 * `en`, and every locale falls back to `en`.
 */
export function contentFor(
	{ contents }: TemplateVersion,
	channel: Channel,
	locales: readonly string[],
): TemplateContent | undefined {
	const ofChannel = contents.filter((content) => content.channel === channel);
	for (const locale of [...locales.flatMap((each) => [each, each.split("-")[0]]), lastLocale]) {
		const found = ofChannel.find((content) => content.locale === locale);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** The first link of a template: where a push notification or an item of the inbox leads. */
export const linkOf = ({ variables }: Pick<TemplateVersion, "variables">): Variable | undefined =>
	variables.find(({ kind }) => kind === "link");

/**
 * Returns the language of a message: the first of those asked for that the template has on the channel, else
 * English.
 */
export function localeOf(
	template: TemplateVersion,
	channel: Channel,
	locales: ReadonlyArray<string | undefined>,
): string {
	return (
		contentFor(
			template,
			channel,
			locales.filter((locale) => locale !== undefined),
		)?.locale ?? "en"
	);
}
