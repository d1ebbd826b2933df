import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { parse } from "yaml";

type Operation = {
	responses: Record<string, Answer>;
	requestBody?: object;
	parameters?: ReadonlyArray<{ name: string; in: string }>;
};
type Answer = { $ref?: string; content?: unknown };
type Description = { paths: Record<string, Record<string, Operation>> };

/** An OpenAPI description of a real gateway of this kind, which comes with a client library of it. */
const file = join(fileURLToPath(import.meta.resolve("@alexasomba/paystack-node")), "../../openapi.yaml");
const description: Description = allowNull(parse(readFileSync(file, "utf8")));
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(description, "description");

type Call = {
	method: string;
	path: string;
	query?: Readonly<Record<string, string | undefined>>;
	json?: object;
};

/**
 * What the description does not allow in a call to the gateway, as in `GET /refund: ?transaction is not
 * described`.
 */
export function findCallViolations({ method, path, query = {}, json }: Call): string[] {
	const verb = method.toLowerCase();
	const template = Object.keys(description.paths).find(
		(one) => formOf(one).test(path) && verb in pathAt(one),
	);
	if (template === undefined) return [`${method} ${path}: is not described`];
	const { parameters = [], requestBody } = pathAt(template)[verb] ?? {};
	const known = parameters.filter((one) => one.in === "query").map(({ name }) => name);
	const sent = Object.keys(query).filter((name) => query[name] !== undefined);
	const body = pointer("paths", template, verb, "requestBody", "content", "application/json", "schema");
	const violations = [
		...sent.filter((name) => !known.includes(name)).map((name) => `?${name} is not described`),
		...(requestBody === undefined ? [] : findErrors(`description${body}`, json)),
		...(requestBody === undefined && json !== undefined ? ["a body is not described"] : []),
	];
	return violations.map((violation) => `${method} ${template}: ${violation}`);
}

const pathAt = (template: string): Record<string, Operation> => description.paths[template] ?? {};

/** A path of the description, with parameters as in `/transfer/{code}`. */
const formOf = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`);

function findErrors($ref: string, value: unknown): string[] {
	const validate = ajv.compile({ $ref });
	if (validate(value)) return [];
	return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What the description does not allow in the successful answer of a call, as in `GET /settlement`. */
export function findViolations(call: string, answer: unknown): string[] {
	const [method = "", url = ""] = call.split(" ");
	const path = url.replaceAll(/:(\w+)/g, "{$1}");
	const responses = description.paths[path]?.[method.toLowerCase()]?.responses;
	const [status = "", found] = Object.entries(responses ?? {}).find(([code]) => code.startsWith("2")) ?? [];
	if (found === undefined) return ["is not described"];
	const response = found.$ref ?? pointer("paths", path, method.toLowerCase(), "responses", status);
	return findErrors(
		`description${response}${pointer("content", "application/json", "schema").slice(1)}`,
		answer,
	);
}

/** OpenAPI 3.0 says `nullable` where JSON schema says that null is another choice. */
function allowNull<Value>(value: Value): Value {
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) return value.map(allowNull) as Value;
	const { nullable, ...members } = value as Record<string, unknown>;
	const schema = Object.fromEntries(Object.entries(members).map(([name, one]) => [name, allowNull(one)]));
	return (nullable === true ? { anyOf: [schema, { type: "null" }] } : schema) as Value;
}

/** A JSON pointer (RFC 6901) as a fragment of a URI. */
const pointer = (...parts: readonly string[]) =>
	`#/${parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
