import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseSync } from "vite";
import { expect, test } from "vitest";
import { tables } from "./texts.ts";

type Leaf = { path: string; say: unknown };

function leavesOf(table: object, path = ""): Leaf[] {
	return Object.entries(table).flatMap(([key, say]) =>
		typeof say === "object" ? leavesOf(say, `${path}${key}.`) : [{ path: path + key, say }],
	);
}

const english = leavesOf(tables.en);
const swahili = new Map(leavesOf(tables.sw).map(({ path, say }) => [path, say]));

/** Words that are the same in both languages. */
const names = new Set(["wordmark", "title"]);

test("every text exists in both languages, is not empty, and takes the same values", () => {
	expect([...swahili.keys()]).toEqual(english.map(({ path }) => path));
	for (const { path, say } of english) {
		const other = swahili.get(path);
		expect(typeof other, path).toBe(typeof say);
		if (typeof say === "function") expect((other as () => string).length, path).toBe(say.length);
		else expect(String(other).trim(), path).not.toBe("");
	}
});

test("no text is the same in both languages", () => {
	const same = english.filter(
		({ path, say }) => !names.has(path) && sayWith(swahili.get(path)) === sayWith(say),
	);
	expect(same.map(({ path }) => path)).toEqual([]);
});

test("a value of a text appears in both languages", () => {
	for (const { path, say } of english.filter(({ say }) => typeof say === "function")) {
		const [one, other] = [sayWith(say), sayWith(swahili.get(path))];
		expect(other.includes("Ω"), path).toBe(one.includes("Ω"));
	}
});

function sayWith(say: unknown): string {
	return typeof say === "function" ? String(say("Ω", "month")) : String(say);
}

const root = resolve(import.meta.dirname, "../../../..");
const components = ["apps/*/src/**/*.tsx", "packages/interface/src/**/*.tsx"].flatMap((pattern) =>
	globSync(pattern, { cwd: root }),
);
const textAttributes = new Set([
	"aria-label",
	"alt",
	"title",
	"placeholder",
	"label",
	"hint",
	"legend",
	"lead",
	"text",
	"advice",
	"empty",
	"caption",
]);

test.each(components)("%s contains no text", (path) => {
	expect(listWords(parseSync(path, readFileSync(resolve(root, path), "utf8")).program)).toEqual([]);
});

test("text in a component is found in JSX, in an expression and in an attribute", () => {
	const source = `<p title="Hello" className="mt-4">Good {isDay ? "day" : \`night\`}{name}–</p>`;
	expect(listWords(parseSync("a.tsx", source).program)).toEqual(["Hello", "Good", "day", "night"]);
});

type Node = { type: string; [member: string]: unknown };

/** The text that JSX contains. */
function listWords(node: unknown, inText = false): string[] {
	if (Array.isArray(node)) return node.flatMap((one) => listWords(one, inText));
	if (typeof node !== "object" || node === null) return [];
	const { type, ...members } = node as Node;
	if (type === "JSXText") return wordsIn(members.value);
	if (type === "JSXAttribute") return listAttribute(node as Node);
	if (type === "Literal" || type === "TemplateElement") return inText ? wordsIn(textOf(members.value)) : [];
	const isText =
		type === "JSXExpressionContainer" ||
		(inText &&
			(type === "ConditionalExpression" || type === "LogicalExpression" || type === "TemplateLiteral"));
	const { test: condition, ...rest } = members;
	return [...listWords(condition), ...Object.values(rest).flatMap((member) => listWords(member, isText))];
}

function listAttribute({ name, value }: Node): string[] {
	const isText = textAttributes.has((name as { name: string }).name);
	const { type } = (value ?? {}) as Partial<Node>;
	return type === "Literal" ? (isText ? listWords(value, true) : []) : listIn(value as Node, isText);
}

function listIn(value: Node | null, isText: boolean): string[] {
	return value?.type === "JSXExpressionContainer" ? listWords(value.expression, isText) : [];
}

function textOf(value: unknown): unknown {
	return typeof value === "object" && value !== null ? (value as { raw?: string }).raw : value;
}

function wordsIn(text: unknown): string[] {
	return typeof text === "string" && /\p{L}{2}/u.test(text) ? [text.trim()] : [];
}
