import { type Template, type Token, TokenKind, type ValueToken } from "liquidjs";
import { type Fault, fault } from "../../findings/finding.ts";
import type { Variable } from "../../template.ts";
import { parseLiquid, sourceLengthMax } from "./liquid.ts";
import { parseFault } from "./liquid-fault.ts";

/** The names that every template may read besides its variables. */
const builtIns: Readonly<Record<string, readonly string[]>> = { tenant: ["name"] };
const loopMembers = ["first", "last", "index", "length"];

/** What can be read at a place of a template: the members of each name. A name without members is a value. */
type Scope = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Checks a template against the closed subset of Liquid and its declared variables, on the parse tree.
 * Returns what is wrong and on which line; nothing if the template can be published.
 */
export function checkLiquid(source: string, variables: readonly Variable[]): readonly Fault[] {
	if (Buffer.byteLength(source) > sourceLengthMax)
		return [fault("source_too_long", { max: sourceLengthMax })];
	try {
		const { nodes } = parseLiquid(source, "text");
		const values = variables.map(({ name, kind }) => [name, kind === "list" ? ["size"] : undefined]);
		return checkNodes(nodes, { lists: listsOf(variables), scope: Object.fromEntries(values), isLoop: false });
	} catch (error) {
		return [parseFault(error)];
	}
}

type Lists = Readonly<Record<string, readonly Variable[]>>;

const listsOf = (variables: readonly Variable[]): Lists =>
	Object.fromEntries(
		variables.filter(({ kind }) => kind === "list").map(({ name, members = [] }) => [name, members]),
	);

type Place = { lists: Lists; scope: Scope; isLoop: boolean };

const checkNodes = (nodes: readonly Template[], place: Place): readonly Fault[] =>
	nodes.flatMap((node) => checkNode(node, place));

function checkNode(node: Template, place: Place): readonly Fault[] {
	const name = nameOf(node);
	const [loopName] = node.blockScope?.() ?? [];
	if (name === "for" && loopName !== undefined) return checkLoop(node, loopName, place);
	const found = [...readsOf([...(node.arguments?.() ?? [])])].flatMap((read) => checkRead(read, place.scope));
	return [...found, ...checkNodes(childrenOf(node), place)];
}

const nameOf = ({ token }: Template): string =>
	"name" in token && typeof token.name === "string" ? token.name : "";

/** A loop is over a declared list and not inside another loop, so that nothing grows. */
function checkLoop(node: Template, loopName: string, place: Place): readonly Fault[] {
	const [collection, ...rest] = [...(node.arguments?.() ?? [])];
	const path = isToken(collection) ? pathOf(collection) : undefined;
	const members = path?.length === 1 ? place.lists[path[0] ?? ""] : undefined;
	if (place.isLoop) return [fault("loop_nested", at(node.token))];
	if (members === undefined) return [fault("loop_without_list", at(node.token))];
	const names = members.map((member) => member.name);
	const scope = { ...place.scope, [loopName]: names, forloop: loopMembers };
	const reads = [...readsOf(rest)].flatMap((read) => checkRead(read, place.scope));
	return [...reads, ...checkNodes(childrenOf(node), { ...place, scope, isLoop: true })];
}

/** The engine's generators end at once if they need no files. */
function childrenOf(node: Template): readonly Template[] {
	const result = node.children?.(false, true).next();
	return result?.done === true ? result.value : [];
}

const isToken = (value: unknown): value is Token =>
	typeof value === "object" && value !== null && "kind" in value && "getText" in value;

/** All reads of variables and all ranges, wherever they are in conditions, filters and arguments. */
function* readsOf(value: unknown): Generator<Token> {
	if (Array.isArray(value)) for (const each of value) yield* readsOf(each);
	else if (isToken(value)) {
		if (value.kind === TokenKind.PropertyAccess || value.kind === TokenKind.Range) yield value;
		else if (value.kind === TokenKind.FilteredValue || value.kind === TokenKind.GroupedExpression)
			yield value;
	} else if (typeof value === "object" && value !== null && "initial" in value && "filters" in value) {
		const { initial, filters } = value as { initial: { postfix: Token[] }; filters: { args: unknown[] }[] };
		yield* readsOf(initial.postfix);
		yield* readsOf(filters.map(({ args }) => args));
	}
}

/** The names of a read such as `item.title`; undefined if a part of it is computed. */
function pathOf(token: Token): readonly string[] | undefined {
	if (token.kind !== TokenKind.PropertyAccess) return undefined;
	const { variable, props } = token as Token & { variable?: Token; props: ValueToken[] };
	const names = props.map((prop) => (prop.kind === TokenKind.Word ? prop.getText() : undefined));
	return variable === undefined && names.every((name) => name !== undefined) ? names : undefined;
}

function checkRead(token: Token, scope: Scope): readonly Fault[] {
	const path = pathOf(token);
	if (token.kind === TokenKind.Range) return [fault("range_forbidden", at(token))];
	if (path === undefined) return [fault("variable_computed", { text: token.getText(), ...at(token) })];
	const [name = "", member, ...rest] = path;
	const isKnown = Object.hasOwn(scope, name) || Object.hasOwn(builtIns, name);
	if (!isKnown) return [fault("variable_undeclared", { name, ...at(token) })];
	const members = Object.hasOwn(scope, name) ? scope[name] : builtIns[name];
	const isValue = members === undefined && member === undefined;
	const isMember = member !== undefined && rest.length === 0 && members?.includes(member) === true;
	return isValue || isMember ? [] : [fault("value_invalid", { text: path.join("."), ...at(token) })];
}

const at = (token: Token) => ({ line: token.getPosition()[0] ?? 1 });
