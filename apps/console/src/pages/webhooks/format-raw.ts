/** The text of a body as people read it: JSON is indented, any other text is unchanged. */
export function formatRaw(raw: string): string {
	if (!/^\s*[{[]/.test(raw)) return raw;
	try {
		JSON.parse(raw);
		return indent(raw);
	} catch {
		return raw;
	}
}

const tokens = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON without reading its values, so that long numbers keep every digit. */
function indent(json: string): string {
	let depth = 0;
	const line = () => `\n${"  ".repeat(depth)}`;
	const open = (token: string) => {
		depth += 1;
		return `${token}${line()}`;
	};
	const close = (token: string) => {
		depth -= 1;
		return `${line()}${token}`;
	};
	const writers: Readonly<Record<string, (token: string) => string>> = {
		...{ "{": open, "[": open, "}": close, "]": close },
		...{ ":": () => ": ", ",": () => `,${line()}` },
	};
	const found: readonly string[] = json.match(tokens) ?? [];
	return found.map((token) => writers[token]?.(token) ?? token.replace(/^([{[])\s+/, "$1")).join("");
}
