import { Tokenizer, TokenKind } from "liquidjs";
import { hostOf } from "./liquid/filters.ts";

/** Elements that can be links. A picture has no end, or ends at once. */
const element =
	/<(?<end>\/?)(?<name>a|mj-button|mj-image)(?<attributes>(?:\s+[a-zA-Z-]+="[^"<>]*")*)\s*(?<isEmpty>\/?)>/g;
const output = /^\{\{-?\s*([\w.]+)\s*-?\}\}$/;

/**
 * Adds the host of each link to a body that `checkSource` accepted, because a label does not say where it
 * leads: below buttons and pictures, after the words of other links unless they are the address itself.
 */
export function showHosts(body: string): string {
	const { marked, restore } = markLiquid(body);
	const open: Array<{ link: string; start: number }> = [];
	const additions = [...marked.matchAll(element)].map(({ 0: tag, index, groups = {} }) => {
		const end = index + tag.length;
		const isStart = groups["end"] === "";
		if (isStart) open.push({ link: restore(hrefIn(groups["attributes"])), start: end });
		if (isStart && groups["isEmpty"] === "") return { end, text: "" };
		const { link, start } = open.pop() ?? { link: "", start: end };
		return { end, text: addition(groups["name"], { link, label: restore(marked.slice(start, index)) }) };
	});
	const ends = [0, ...additions.map(({ end }) => end)];
	const pieces = additions.map(({ end, text }, at) => `${marked.slice(ends[at], end)}${text}`);
	return restore(`${pieces.join("")}${marked.slice(ends.at(-1))}`);
}

/** What follows the end of a link. */
function addition(name: string | undefined, { link, label }: { link: string; label: string }): string {
	const host = hostIn(link);
	if (host === "") return "";
	if (name !== "a") return `<mj-text mj-class="host">${host}</mj-text>`;
	return withoutSpace(label) === withoutSpace(link) ? "" : `<span class="host"> (${host})</span>`;
}

/** Puts marks in the place of outputs and tags of Liquid: their literals can look like elements. */
function markLiquid(source: string): { marked: string; restore: (text: string) => string } {
	const tokens: string[] = [];
	const marked = new Tokenizer(source).readTopLevelTokens().map((token) => {
		const text = token.getText();
		return token.kind === TokenKind.HTML ? text : `\ue000${tokens.push(text) - 1};`;
	});
	const restore = (text: string) =>
		text.replaceAll(/\ue000(\d+);/g, (_mark, index) => tokens[Number(index)] ?? "");
	return { marked: marked.join(""), restore };
}

const hrefIn = (attributes = ""): string => /\shref="([^"]*)"/.exec(attributes)?.[1] ?? "";

function hostIn(link: string): string {
	const name = output.exec(link)?.[1];
	return name === undefined ? hostOf(link) : `{{ ${name} | host }}`;
}

const withoutSpace = (text: string): string => text.replaceAll(/\s/g, "");
