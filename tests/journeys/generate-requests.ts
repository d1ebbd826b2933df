import type { InjectOptions } from "fastify";

/** A schema of an OpenAPI document, as far as requests are generated from it. */
type Schema = {
	type?: string | readonly string[];
	format?: string;
	enum?: readonly unknown[];
	const?: unknown;
	properties?: Record<string, Schema>;
	required?: readonly string[];
	items?: Schema;
	anyOf?: readonly Schema[];
	minimum?: number;
	maximum?: number;
	maxLength?: number;
	default?: unknown;
};
type Parameter = { name: string; in: "path" | "query" | "header"; schema?: Schema };
type Operation = {
	parameters?: readonly Parameter[];
	requestBody?: { content?: Record<string, { schema?: Schema }> };
};
/** An OpenAPI document: its operations by path and method. */
export type Document = { paths: Record<string, Record<string, Operation>> };

/** Whole numbers from 0 up to, and not including, `below`; the same ones for the same seed. */
export type Chance = (below: number) => number;

/** A generator of numbers (mulberry32) that a seed determines. */
export function chanceFrom(seed: number): Chance {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

const one = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T;

/** Values that break carelessly written programs, whatever is asked for. */
const odd: readonly unknown[] = [
	"",
	" ",
	"a".repeat(201),
	"é🦁ß",
	"\u0000",
	"\ud800",
	"\u202eevil\u200b",
	"' or 1=1 --",
	"%",
	"../../etc/passwd",
	"__proto__",
	"NaN",
	"null",
	"1e999",
	"2026-13-45T99:99:99Z",
	"00000000-0000-0000-0000-000000000000",
	"not-a-uuid",
	"🦁".repeat(2_000),
	0,
	-1,
	1.5,
	9_007_199_254_740_992,
	-1e308,
	true,
	null,
	[],
	{},
	[[[[]]]],
	{ a: { b: { c: null } } },
];
const pathTexts = [
	"x",
	"a".repeat(200),
	"a".repeat(201),
	"a".repeat(5_000),
	"%00",
	"%zz",
	"%ff",
	"%c3%28",
	"%ed%a0%80",
	"%F0%9F%A6%81".repeat(60),
	"%2e%2e%2f%2e%2e",
	"%E2%80%AE",
	"..",
	"a;b=c",
	"a%2Fb",
	"-1",
	"null",
	"%0d%0aset-cookie:a=b",
	"00000000-0000-0000-0000-000000000000",
];

/** A value that a schema asks for, or one at its boundary. */
function fitting(from: Request, schema: Schema = {}, depth = 0): unknown {
	const { chance } = from;
	if (schema.const !== undefined) return schema.const;
	if (schema.enum !== undefined) return one(chance, schema.enum);
	if (schema.anyOf !== undefined) return fitting(from, one(chance, schema.anyOf), depth);
	const type = Array.isArray(schema.type) ? one(chance, schema.type as string[]) : schema.type;
	if (type === "object" && depth < 6) {
		const isGiven = (name: string) =>
			schema.required?.includes(name) === true ? !from.isWrong(8) : chance(3) > 0;
		const members = Object.entries(schema.properties ?? {}).filter(([name]) => isGiven(name));
		return Object.fromEntries(
			members.map(([name, member]) => [name, memberOf({ from, name, depth }, member)]),
		);
	}
	if (type === "array" && depth < 6)
		return Array.from({ length: chance(4) }, () => anyValue(from, schema.items, depth + 1));
	return plain(from, schema, String(type));
}

type Member = { from: Request; name: string; depth: number };

/** A member of an object: every other time a value that exists, where the test knows one. */
function memberOf({ from, name, depth }: Member, schema: Schema): unknown {
	const values = from.known[name] ?? [];
	const isText = schema.type === "string" && schema.enum === undefined;
	if (values.length > 0 && !from.isWrong(3)) {
		if (isText && from.chance(2) === 0) return one(from.chance, values);
		if (schema.type === "array") return [one(from.chance, values)];
	}
	return anyValue(from, schema, depth + 1);
}

function plain(
	{ chance, known }: Request,
	{ format, minimum = 0, maximum = 1_000, maxLength }: Schema,
	type: string,
): unknown {
	const ids = known["id"] ?? [];
	if (format === "uuid" && ids.length > 0 && chance(2) === 0) return one(chance, ids);
	if (type === "integer" || type === "number") return one(chance, [minimum, maximum, minimum + chance(100)]);
	if (type === "boolean") return chance(2) === 0;
	if (type === "null") return null;
	if (format === "uuid") return `7b0a1f0e-5c55-4f0e-9a5e-0d3c3c9a1b${10 + chance(80)}`;
	if (format === "date-time")
		return one(chance, ["2026-03-01T12:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]);
	if (format === "email") return `g${chance(1_000)}@generated.example`;
	return one(chance, [
		"a",
		"uhai",
		"word",
		"x".repeat(Math.min(maxLength ?? 64, 4_000)),
		"https://example.com/a",
	]);
}

/** Mostly what is asked for; one in six is something else. */
const anyValue = (from: Request, schema: Schema | undefined, depth = 0): unknown =>
	from.isWrong(6) ? one(from.chance, odd) : fitting(from, schema, depth);

const textOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
/** As encodeURIComponent, also for half a surrogate pair. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** Values that exist, by the name of a parameter or member. Those of `id` are used for every UUID. */
type KnownValues = Readonly<Record<string, readonly string[]>>;

export type Generating = { chance: Chance; known: KnownValues };

/** One request that is being generated. */
type Request = Generating & {
	/**
	 * Whether to deviate from the document here, with a chance of one in `below`; never in every second
	 * request.
	 */
	isWrong(below: number): boolean;
};

/** One request of one of the document's operations: valid, at a boundary, or wrong. */
export function generateRequest(
	document: Document,
	{ chance, known }: Generating,
): InjectOptions & { method: string; url: string } {
	const isFitting = chance(2) === 0;
	const from: Request = { chance, known, isWrong: (below) => !isFitting && chance(below) === 0 };
	const [path, methods] = one(chance, Object.entries(document.paths));
	const [method, operation] = one(chance, Object.entries(methods));
	const parameters = operation.parameters ?? [];
	const asked = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
		if (from.isWrong(3)) return one(chance, pathTexts);
		const values = known[name];
		if (values !== undefined && values.length > 0) return encoded(one(chance, values));
		const schema = parameters.find((parameter) => parameter.in === "path" && parameter.name === name)?.schema;
		return encoded(textOf(fitting(from, schema))) || "x";
	});
	const body = bodyOf(from, operation, method);
	return {
		method: (from.isWrong(20)
			? one(chance, ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
			: method.toUpperCase()) as "GET",
		url: `${asked}${queryOf(from, parameters)}`,
		headers: { ...headersOf(from, parameters), ...body?.headers },
		...(body !== undefined && { payload: body.payload }),
	};
}

function queryOf(from: Request, parameters: readonly Parameter[]): string {
	const { chance } = from;
	const asked = parameters.filter((parameter) => parameter.in === "query" && chance(3) > 0);
	const pairs = asked.flatMap(({ name, schema }) => {
		const pair = () => `${name}=${encoded(textOf(anyValue(from, schema)))}`;
		return from.isWrong(6) ? [pair(), pair()] : [pair()];
	});
	if (from.isWrong(6))
		pairs.push(
			one(chance, ["unknown=1", "a[b]=c", "%zz=%ff", "cursor=%00", "=", "__proto__=x", "limit=1&limit=2"]),
		);
	return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

const oddHeaders: ReadonlyArray<Record<string, string>> = [
	{ "x-tenant-id": "not-a-uuid" },
	{ "x-tenant-id": "a".repeat(3_000) },
	{ "x-tenant-slug": "\u00ff\u00fe" },
	{ "x-outlet-id": "00000000-0000-0000-0000-000000000000" },
	{ "x-outlet-id": "," },
	{ "x-request-id": "<script>" },
	{ traceparent: "00-zz-zz-zz" },
	{ "if-none-match": '"' },
	{ "idempotency-key": "é" },
	{ origin: "null" },
	{ cookie: `lango=${"%".repeat(500)}; =; a` },
	{ "accept-version": "1.x" },
	{ "x-forwarded-for": "not an address" },
	{ host: "" },
	{ accept: "\u0001" },
	{ "x-long": "a".repeat(8_000) },
];

function headersOf(from: Request, parameters: readonly Parameter[]): Record<string, string> {
	const { chance } = from;
	const asked = parameters.filter((parameter) => parameter.in === "header" && chance(2) === 0);
	// A header is a line of ISO 8859-1.
	const line = (text: string) => text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, "?").slice(0, 4_000);
	const given = asked.map(({ name, schema }) => [name, line(textOf(anyValue(from, schema)))]);
	return { ...Object.fromEntries(given), ...(from.isWrong(4) && one(chance, oddHeaders)) };
}

const rawBodies: readonly Buffer[] = [
	"",
	"{",
	"[]",
	"null",
	'"text"',
	'{"__proto__":{"a":1}}',
	'{"constructor":{"prototype":{}}}',
	`${"[".repeat(20_000)}${"]".repeat(20_000)}`,
	`{"a":${"9".repeat(400)}}`,
	"a=b&a=c&%zz=%ff",
	"x".repeat(70_000),
].map((text) => Buffer.from(text));
const invalidUtf8 = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]);
const contentTypes = [
	"text/plain",
	"text/xml",
	"application/json; charset=utf-16",
	"multipart/form-data; boundary=x",
	"application/x-www-form-urlencoded",
	"application/",
	"é",
	";",
];

/** The body of a request, as its operation asks for it, or not. */
function bodyOf(from: Request, { requestBody }: Operation, method: string) {
	const { chance } = from;
	if (method === "get" && !from.isWrong(10)) return undefined;
	const [type, { schema } = {}] = one(
		chance,
		Object.entries(requestBody?.content ?? { "application/json": {} }),
	);
	const declared = from.isWrong(8) ? one(chance, contentTypes) : type;
	const headers = { "content-type": declared };
	if (from.isWrong(6)) return { headers, payload: one(chance, [...rawBodies, invalidUtf8]) };
	const value = anyValue(from, schema);
	if (type !== "application/x-www-form-urlencoded" || typeof value !== "object" || value === null)
		return { headers, payload: JSON.stringify(value) };
	const pairs = Object.entries(value).map(([name, member]) => `${name}=${encoded(textOf(member))}`);
	return { headers, payload: pairs.join("&") };
}
