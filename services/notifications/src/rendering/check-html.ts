import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { distinct, type Fault, fault } from "../findings/finding.ts";
import type { Variable } from "../template.ts";
import { isLink } from "../template.ts";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const refused: ReadonlySet<string> = new Set(
	"applet audio base button embed form frame frameset iframe input link math object script select svg template textarea video".split(
		" ",
	),
);
const links: ReadonlySet<string> = new Set([
	"action",
	"background",
	"formaction",
	"href",
	"poster",
	"src",
	"srcset",
]);
/** Links of the layout. */
const layoutLinks = ["layout.logo_url", "layout.unsubscribe_url"];

/**
 * Checks a compiled page as browsers parse it: no script, form, frame or event attribute, and every link is a
 * literal https address or exactly one link variable. Returns what is wrong.
 */
export function checkHtml(html: string, variables: readonly Variable[]): readonly Fault[] {
	const allowed = new Set([...layoutLinks, ...linkNames(variables)]);
	return distinct([...elementsOf(parse(html))].flatMap((element) => checkElement(element, allowed)));
}

/** Names of link variables; those of items are found by their member, whatever the loop calls the item. */
const linkNames = (variables: readonly Variable[]): readonly string[] =>
	variables.flatMap(({ name, kind, members = [] }) => [
		...(kind === "link" ? [name] : []),
		...members.filter((member) => member.kind === "link").map((member) => `*.${member.name}`),
	]);

function* elementsOf(node: Node): Generator<Element> {
	if ("tagName" in node) yield node;
	if ("childNodes" in node) for (const child of node.childNodes) yield* elementsOf(child);
}

const checkElement = ({ tagName, attrs }: Element, allowed: ReadonlySet<string>): readonly Fault[] =>
	refused.has(tagName)
		? [fault("element_forbidden", { element: tagName })]
		: attrs.flatMap((attribute) => checkAttribute(tagName, attribute, allowed) ?? []);

function checkAttribute(
	tagName: string,
	{ name, value }: Element["attrs"][number],
	allowed: ReadonlySet<string>,
): Fault | undefined {
	if (/^on|[^a-z0-9:-]/.test(name)) return fault("attribute_forbidden", { attribute: name });
	if (tagName === "meta" && name === "http-equiv" && /refresh/i.test(value))
		return fault("redirect_forbidden");
	if (name === "style") return unsafeStyle.test(value) ? fault("style_unsafe") : undefined;
	if (!links.has(name) || isAllowedLink(value, allowed)) return undefined;
	return fault("link_forbidden", { attribute: name, value: value.slice(0, 80) });
}

const unsafeStyle = /(?:^|;)\s*position|url\(|expression|@import|behavior|\\/i;

function isAllowedLink(value: string, allowed: ReadonlySet<string>): boolean {
	const variable = /^\{\{-?\s*([a-z_][a-z0-9_.]*)\s*-?\}\}$/.exec(value)?.[1];
	if (variable === undefined) return isLink(value, false);
	return allowed.has(variable) || allowed.has(`*.${variable.split(".").at(1) ?? ""}`);
}
