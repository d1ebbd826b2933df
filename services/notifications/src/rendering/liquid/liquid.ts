import { Liquid, type Template, Tokenizer } from "liquidjs";
import { formatsKey, formatsOf, handlers, toText } from "./filters.ts";
import type { Formats } from "./formats.ts";

/** Limits of one template: characters of its source, milliseconds and characters of a render. */
export const sourceLengthMax = 256 * 1024;
const renderMsMax = 1_000;
const memoryMax = 1024 * 1024;

/** The tags of the closed subset. `else`, `elsif` and `when` belong to them. */
const tagNames: ReadonlySet<string> = new Set(["if", "unless", "case", "for"]);

/** How output is escaped: in a page, or not at all in text. */
export type Target = "html" | "text";

const entities: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
	"\n": "<br>",
};

/** Escapes a text for HTML, also inside quoted attributes. A line break is shown as one. */
export const escapeHtml = (text: string): string =>
	text.replaceAll(/[&<>"'\n]/g, (character) => entities[character] ?? "");

const escapes: Readonly<Record<Target, (text: string) => string>> = {
	html: escapeHtml,
	text: (text) => text,
};

const engines: Readonly<Record<Target, Liquid>> = { html: openEngine("html"), text: openEngine("text") };

function openEngine(target: Target): Liquid {
	const show = escapes[target];
	const engine = new Liquid({
		strictFilters: true,
		strictVariables: true,
		lenientIf: true,
		ownPropertyOnly: true,
		greedy: false,
		parseLimit: sourceLengthMax,
		memoryLimit: memoryMax,
		templates: {},
		outputEscape: function (this: Parameters<typeof formatsOf>[0], value: unknown): string {
			const text = show(toText(value, formatsOf(this)));
			this.context.memoryLimit.use(text.length);
			return text;
		} as (value: unknown) => string,
	});
	for (const name of Object.keys(engine.tags)) if (!tagNames.has(name)) delete engine.tags[name];
	for (const name of Object.keys(engine.filters)) delete engine.filters[name];
	for (const [name, handler] of handlers) engine.registerFilter(name, handler);
	return engine;
}

/** A template that was parsed, and how its output is escaped. */
export type ParsedLiquid = { nodes: Template[]; target: Target };

/** Parses a template. Throws the engine's error, whose message names line and column. */
export const parseLiquid = (source: string, target: Target): ParsedLiquid => ({
	nodes: engines[target].parse(source),
	target,
});

/**
 * Renders a template. Values are never parsed as Liquid. Throws if a variable is missing, or at the limits of
 * time and memory.
 */
export function renderLiquid(
	{ nodes, target }: ParsedLiquid,
	scope: object,
	{ msMax = renderMsMax, ...formats }: Formats & { msMax?: number },
): string {
	const options = { globals: { [formatsKey]: formats }, renderLimit: msMax };
	return String(engines[target].renderSync(nodes, scope, options));
}

/** Returns the tags and outputs of a template as they are written, without differences in white space. */
export const listTokens = (source: string): readonly string[] =>
	new Tokenizer(source)
		.readTopLevelTokens()
		.map((token) => token.getText())
		.filter((text) => /^\{[{%]/.test(text))
		.map((text) => text.replaceAll(/\s+/g, " "));
