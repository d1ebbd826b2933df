import { Tokenizer, TokenKind } from "liquidjs";
import { distinct, type Fault, fault } from "../findings/finding.ts";

/**
 * Checks what an author wrote for an e-mail before it is compiled: elements, attributes and styles of a list,
 * every element closed, and blocks of Liquid nested with the elements. So the body cannot leave its place in
 * the layout, hide the footer, or reach comments for Outlook, which no parser of pages reads.
 */

const mjml = "section column group text button table image divider spacer"
	.split(" ")
	.map((name) => `mj-${name}`);
const inline = "a b br code em i img s small span strong sub sup u".split(" ");
const blocks = "blockquote h1 h2 h3 h4 hr li ol p pre table tbody td th thead tr ul".split(" ");
const elements: ReadonlySet<string> = new Set([...mjml, ...inline, ...blocks]);
const empty: ReadonlySet<string> = new Set(["br", "hr", "img"]);

const attributes: ReadonlySet<string> = new Set([
	..."align alt background-color border border-bottom border-color border-radius border-style border-top".split(
		" ",
	),
	..."border-width cellpadding cellspacing color colspan container-background-color font-size font-style".split(
		" ",
	),
	..."font-weight height href inner-padding letter-spacing line-height mj-class padding padding-bottom".split(
		" ",
	),
	..."padding-left padding-right padding-top rowspan src style text-align text-decoration title valign".split(
		" ",
	),
	..."vertical-align width".split(" "),
]);
const styles: ReadonlySet<string> = new Set([
	..."background-color border border-bottom border-collapse border-radius border-top color font-size".split(
		" ",
	),
	..."font-style font-weight height letter-spacing line-height max-width padding padding-bottom padding-left".split(
		" ",
	),
	..."padding-right padding-top text-align text-decoration vertical-align white-space width word-break".split(
		" ",
	),
]);
/** Attributes that may contain output of Liquid. */
const withOutput: ReadonlySet<string> = new Set(["alt", "href", "src", "title"]);

const refused: Readonly<Record<string, Fault>> = {
	"mj-include": fault("include_forbidden"),
	"mj-raw": fault("raw_forbidden"),
	"mj-html-attributes": fault("html_attributes_forbidden"),
};

/** Stand for an output and a tag of Liquid in the scanned text. */
const outputMark = "\ue000";
const tagMark = "\ue001";
const markup =
	/\ue000|\ue001(?<tag>\d+);|<(?<close>\/?)(?<name>[a-zA-Z][\w-]*)(?<rest>(?:\s+[a-zA-Z-]+="[^"<>]*")*)\s*(?<self>\/?)>|<(?=[!?/a-zA-Z]|\s*[\ue000\ue001]|$)/g;

/** Returns what is wrong; nothing if the body can be put into the layout. */
export function checkSource(source: string): readonly Fault[] {
	if (/[\ue000\ue001]/.test(source)) return [fault("characters_private")];
	const { marked, tags } = markLiquid(source);
	const open: string[] = [];
	const problems = [...marked.matchAll(markup)].flatMap((found) => checkPiece(found, tags, open));
	const last = open.at(-1);
	if (last !== undefined) problems.push(fault("element_not_closed", { element: last }));
	return distinct(problems);
}

/** Replaces outputs and tags of Liquid by marks; returns the names of the tags in their order. */
function markLiquid(source: string): { marked: string; tags: readonly string[] } {
	const tags: string[] = [];
	const pieces = new Tokenizer(source).readTopLevelTokens().map((token) => {
		if (token.kind === TokenKind.Output) return outputMark;
		if (token.kind !== TokenKind.Tag) return token.getText();
		return `${tagMark}${tags.push(nameOf(token.getText())) - 1};`;
	});
	return { marked: pieces.join(""), tags };
}

function checkPiece(found: RegExpExecArray, tags: readonly string[], open: string[]): readonly Fault[] {
	const { tag, close, name, rest = "", self } = found.groups ?? {};
	if (found[0] === outputMark) return [];
	if (tag !== undefined) return followBlock(tags[Number(tag)] ?? "", open);
	if (name === undefined) return [fault("markup_forbidden")];
	const problems = checkElement(name, rest);
	if (close === "/") return [...problems, ...closeElement(name, open)];
	const crossed = openBefore(name, { isClosed: self === "/" }, open);
	if (self !== "/" && !empty.has(name)) open.push(name);
	return crossed === undefined ? problems : [...problems, fault("element_not_closed", { element: crossed })];
}

/**
 * The element that a page would still have open: browsers ignore the slash of `<b />`, and a link ends where
 * the next one begins.
 */
function openBefore(name: string, { isClosed }: { isClosed: boolean }, open: readonly string[]) {
	if (isClosed && !name.startsWith("mj-") && !empty.has(name)) return name;
	return name === "a" ? open.find((outer) => outer === "a" || outer === "mj-button") : undefined;
}

const nameOf = (tag: string): string => /^\{%-?\s*(\w+)/.exec(tag)?.[1] ?? "";

const blockMark = "{%";

/** Elements opened in a block, or in one of its branches, are closed in it. */
function followBlock(name: string, open: string[]): readonly Fault[] {
	const isStart = ["if", "unless", "case", "for"].includes(name);
	if (!isStart && open.at(-1) !== blockMark) return [fault("block_crossed")];
	if (isStart) open.push(blockMark);
	else if (name.startsWith("end")) open.pop();
	return [];
}

function closeElement(name: string, open: string[]): readonly Fault[] {
	if (open.at(-1) !== name) return [fault("element_not_open", { element: name })];
	open.pop();
	return [];
}

function checkElement(name: string, rest: string): readonly Fault[] {
	if (!elements.has(name)) return [refused[name] ?? fault("element_forbidden", { element: name })];
	return [...rest.matchAll(/([a-zA-Z-]+)="([^"]*)"/g)].flatMap(([, attribute = "", value = ""]) =>
		checkAttribute(attribute, value),
	);
}

function checkAttribute(name: string, value: string): readonly Fault[] {
	if (!attributes.has(name)) return [fault("attribute_forbidden", { attribute: name })];
	if (value.includes(tagMark)) return [fault("attribute_with_tag", { attribute: name })];
	if (value.includes(outputMark) && !withOutput.has(name))
		return [fault("attribute_with_variable", { attribute: name })];
	if (withOutput.has(name)) return [];
	if (name === "style") return checkStyle(value);
	return /^[\w #.,%-]*$/.test(value) ? [] : [fault("attribute_invalid", { attribute: name })];
}

const checkStyle = (style: string): readonly Fault[] =>
	style
		.split(";")
		.map((rule) => rule.trim())
		.filter((rule) => rule !== "")
		.filter((rule) => {
			const [property = "", value = "", ...more] = rule.split(":").map((part) => part.trim());
			return !styles.has(property) || more.length > 0 || !/^[\w #.,%-]+$/.test(value);
		})
		.map((rule) => fault("style_forbidden", { style: rule }));
