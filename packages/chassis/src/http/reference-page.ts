/** The parts of an OpenAPI document the page shows. */
type Operation = {
	summary?: string;
	description?: string;
	tags?: string[];
	security?: Array<Record<string, unknown>>;
	parameters?: Array<{ name: string; in: string; required?: boolean; schema?: unknown }>;
	requestBody?: { content?: Record<string, { schema?: unknown }> };
	responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>;
};
type Document = { info: { title: string }; paths?: Record<string, Record<string, Operation> | undefined> };

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const safe = (text: string) => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? "");
const shape = (schema: unknown) =>
	schema === undefined ? "" : `<pre>${safe(JSON.stringify(schema, null, 2))}</pre>`;

/** A service's reference as one page without scripts: routes, callers, parameters and responses. */
export function referencePage(document: unknown): string {
	const { info, paths = {} } = document as Document;
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods ?? {}).map(([method, operation]) => ({
			path,
			method: method.toUpperCase(),
			operation,
		})),
	);
	operations.sort((one, other) => Number(isOperation(one.operation)) - Number(isOperation(other.operation)));
	const contents = operations.map(
		({ path, method }) => `<li><a href="#${anchor(method, path)}"><b>${method}</b> ${safe(path)}</a></li>`,
	);
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(info.title)}</title><style>${referenceStyle}</style></head><body><main><h1>${safe(info.title)}</h1>
<p>Also as <a href="/openapi.json">OpenAPI</a>.</p><nav aria-label="Addresses"><ul>${contents.join("")}</ul></nav>
${operations.map(section).join("\n")}</main></body></html>`;
}

/** Routes for operators come last. */
const isOperation = ({ tags = [] }: Operation) => tags.includes("operation");

const anchor = (method: string, path: string) => `${method}${path.replaceAll(/[^\w]+/g, "-")}`.toLowerCase();

/** The credentials that an operation accepts. */
const callers: Record<string, string> = {
	"": "Anybody may call it.",
	apiKey: "Needs an API key.",
	"bearer,apiKey": "Needs an access token, or an API key where the service takes them.",
};

function section({
	path,
	method,
	operation,
}: {
	path: string;
	method: string;
	operation: Operation;
}): string {
	const {
		summary = "",
		description = "",
		security = [],
		parameters = [],
		requestBody,
		responses = {},
	} = operation;
	const caller = callers[security.map((one) => Object.keys(one)[0]).join()] ?? callers[""];
	const rows = parameters.map(
		(one) =>
			`<tr><td><code>${safe(one.name)}</code></td><td>${one.in}</td><td>${one.required ? "required" : ""}</td><td>${shape(one.schema)}</td></tr>`,
	);
	const bodies = Object.entries(requestBody?.content ?? {}).map(
		([type, { schema }]) => `<h3>Body, ${safe(type)}</h3>${shape(schema)}`,
	);
	const answers = Object.entries(responses).map(
		([status, { content = {} }]) =>
			`<details><summary>Answer ${status}</summary>${Object.values(content)
				.map(({ schema }) => shape(schema))
				.join("")}</details>`,
	);
	const table =
		rows.length === 0
			? ""
			: `<table><thead><tr><th>Name</th><th>In</th><th></th><th>Shape</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
	return `<section id="${anchor(method, path)}"><h2><b>${method}</b> <code>${safe(path)}</code></h2>
<p>${safe(summary)} ${safe(description)}</p><p>${caller}</p>${table}${bodies.join("")}${answers.join("")}</section>`;
}

export const referenceStyle = `
:root{color-scheme:light dark;--line:#d9d4c8;--ink:#1f2421;--paper:#fbfaf6;--accent:#0b6e4f}
@media(prefers-color-scheme:dark){:root{--line:#3a403c;--ink:#e9e7e0;--paper:#161a18;--accent:#5fd3a8}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}a{color:var(--accent)}
nav ul{list-style:none;padding:0;columns:22rem}nav b{display:inline-block;min-width:4rem}
section{border-top:1px solid var(--line);padding:1rem 0}h2{font-size:1.1rem;overflow-wrap:anywhere}h3{font-size:1rem}
pre{overflow:auto;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;font-size:.8rem}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid var(--line);padding:.3rem;text-align:left;vertical-align:top}`;
